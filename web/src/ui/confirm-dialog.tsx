// A dialog that asks for confirmation of an action, or has a form.
import { TriangleAlert } from 'lucide-react';
import { type ReactNode, type Ref, type SubmitEvent, useEffect, useId, useRef } from 'react';
import { t } from '../words/translate.ts';
import { Button } from './button.tsx';
import { Dialog } from './dialog.tsx';
import { Notice } from './notice.tsx';

/** Classes of the row of buttons at the end of a dialog. A label that is wider than a phone wraps. */
export const DIALOG_BUTTONS =
  'flex flex-wrap justify-end gap-2 mt-7 [&>button]:py-2 [&>button]:whitespace-normal [&>button]:text-balance max-md:[&>button]:flex-[1_1_auto]';

/** CSS classes of the dialog panel on staff pages. */
export const DIALOG_PANEL =
  'wrap-anywhere p-6 rounded-xl bg-raised text-ink [box-shadow:var(--shadow-md)] [&>h2]:text-xl [&>p]:text-md [&>p]:mt-1.5 [&>p]:text-ink-2 md:p-8 forced-colors:[outline:1px_solid_CanvasText] forced-colors:-outline-offset-1';

type ConfirmDialogProps = {
  title: string;
  /** The consequences of the action. Screen readers announce this text when the dialog opens. */
  words: ReactNode;
  /** Label of the button that confirms: the action as a verb. */
  confirm: string;
  /** Label of the other button; 'Cancel' if missing. */
  cancel?: string;
  /** True for a form, which asks for values and not for a confirmation: its first field gets the focus. */
  isForm?: boolean;
  /** True makes the confirming button red, for an action that ends or discards something. */
  danger?: boolean;
  /** The action, or the form that sends it. Missing for a question without a call. */
  action?: {
    /** `ref` is the form of the dialog: `useForm` needs it to focus the first field with an error. */
    props: { ref?: Ref<HTMLFormElement>; onSubmit: (event: SubmitEvent) => void };
    /** True while the action runs: the dialog cannot be closed and its buttons do nothing. */
    busy: boolean;
    /** True after a refusal that a repeated action cannot change. Cancel gets the focus. */
    isDisabled: boolean;
    /** A number that changes when the question of the open dialog changes. Cancel then gets the focus again. */
    before: number | undefined;
    /** Warnings that have come up since the dialog was opened. */
    warnings: readonly string[];
  };
  /** True while the action cannot be confirmed, for example because no reason is chosen. */
  disabled?: boolean;
  onCancel: () => void;
  /** A third way, such as a link, between the two buttons. */
  other?: ReactNode;
  /** Called instead of `action.props.onSubmit`. */
  onConfirm?: () => void;
  /** Fields and further sentences, between `words` and the buttons. */
  children?: ReactNode;
};

export function ConfirmDialog({ title, words, confirm, danger, action, ...props }: ConfirmDialogProps) {
  const { cancel = t('Cancel'), isForm, other, onCancel, onConfirm, children } = props;
  const { busy = false, isDisabled, before, warnings = [] } = action ?? {};
  const disabled = isDisabled || props.disabled;
  const id = useId();
  const cancelButton = useRef<HTMLButtonElement>(null);
  // A dialog that opens focuses its first control. This effect focuses Cancel instead, unless it is disabled by `busy`.
  const question = `${before} ${isDisabled}`;
  const asked = useRef('');
  useEffect(() => {
    if (busy || question === asked.current) return;
    asked.current = question;
    if (!isForm || isDisabled) cancelButton.current?.focus();
  }, [busy, question, isForm, isDisabled]);
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    // In React, a form around this dialog would receive the submit event too, and would be submitted.
    event.stopPropagation();
    if (busy || disabled) return;
    if (onConfirm) onConfirm();
    else action?.props.onSubmit(event);
  };
  return (
    <Dialog
      role={isForm ? undefined : 'alertdialog'}
      className="max-w-124"
      labelledBy={`${id}-title`}
      describedBy={`${id}-words`}
      onClose={onCancel}
      closable={!busy}
    >
      <form ref={action?.props.ref} className={DIALOG_PANEL} noValidate onSubmit={submit}>
        <h2 id={`${id}-title`}>{title}</h2>
        <p id={`${id}-words`}>{words}</p>
        {(children || warnings.length > 0) && (
          <div className="text-sm grid gap-4 mt-5 [&>p]:text-ink-2 [&>:empty]:absolute">
            {/* Rendered before a warning appears: screen readers announce only texts in an existing element. */}
            {action && (
              <div role="alert" className="grid gap-4">
                {warnings.map((warning) => (
                  <Notice key={warning} icon={TriangleAlert} warning>
                    {warning}
                  </Notice>
                ))}
              </div>
            )}
            {children}
          </div>
        )}
        <div className={DIALOG_BUTTONS}>
          <Button ref={cancelButton} disabled={busy} onClick={onCancel}>
            {cancel}
          </Button>
          {other}
          <Button type="submit" look={danger ? 'danger' : 'primary'} busy={busy} disabled={disabled}>
            {confirm}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
