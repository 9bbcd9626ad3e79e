// A dialog that asks for confirmation of an act: a question, the consequences of the act, optional fields, and two
// buttons. Also a dialog with a form.
import { type ReactNode, type Ref, type SubmitEvent, useEffect, useId, useRef } from 'react';
import { say } from '../words/say.ts';
import { Button } from './button.tsx';
import { Dialog } from './dialog.tsx';

/** Classes of the row of buttons at its end. A label that is wider than a phone wraps. */
export const DIALOG_BUTTONS =
  'flex flex-wrap justify-end gap-2 mt-7 [&>button]:py-2 [&>button]:whitespace-normal [&>button]:text-balance max-md:[&>button]:flex-[1_1_auto]';

/** Classes of the panel of a dialog of staff. */
export const DIALOG_PANEL =
  'wrap-anywhere p-6 rounded-xl bg-raised text-ink [box-shadow:var(--shadow-md)] [&>h2]:text-xl [&>p]:text-md [&>p]:mt-1.5 [&>p]:text-ink-2 md:p-8 forced-colors:[outline:1px_solid_CanvasText] forced-colors:-outline-offset-1';

type ConfirmDialogProps = {
  title: string;
  /** The consequences of the act. Screen readers announce this text when the dialog opens. */
  words: ReactNode;
  /** Label of the button that confirms: the act as a verb. */
  confirm: string;
  /** Label of the other button; 'Cancel' if missing. */
  cancel?: string;
  /** True for a form, which asks for values and not for a confirmation: its first field gets the focus. */
  isForm?: boolean;
  /**
   * True makes the confirming button red, for an act that ends or discards something, such as access or unsaved
   * changes.
   */
  danger?: boolean;
  /** True while the act runs: the dialog cannot be closed and its buttons do nothing. */
  busy?: boolean;
  /** True while the act cannot be confirmed, for example because no reason is chosen. */
  disabled?: boolean;
  /** True after a refusal that a repeated act cannot change: the act can no longer be confirmed. Cancel gets the focus. */
  isOff?: boolean;
  /** A number that changes when the question of the open dialog changes. Cancel then gets the focus again. */
  asked?: number | undefined;
  onCancel: () => void;
  onConfirm: (event: SubmitEvent) => void;
  /** Reference to the form of the dialog. `useForm` needs this reference to focus the first field with an error. */
  formRef?: Ref<HTMLFormElement>;
  /** Fields and further sentences, between `words` and the buttons. */
  children?: ReactNode;
};

export function ConfirmDialog({ title, words, confirm, danger, busy, isOff, ...props }: ConfirmDialogProps) {
  const disabled = isOff || props.disabled;
  const { cancel = say('Cancel'), isForm, asked, onCancel, onConfirm, formRef, children } = props;
  const id = useId();
  const cancelButton = useRef<HTMLButtonElement>(null);
  // A dialog that opens focuses its first control, which may be a field. This effect focuses Cancel instead.
  // Cancel is disabled while the act runs, and cannot get the focus then.
  const hasEnded = isOff && !busy;
  useEffect(() => {
    if (!isForm || hasEnded) cancelButton.current?.focus();
  }, [asked, isForm, hasEnded]);
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    // In React, a form around this dialog would receive the submit event too, and would be submitted.
    event.stopPropagation();
    if (!busy && !disabled) onConfirm(event);
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
      <form ref={formRef} className={DIALOG_PANEL} noValidate onSubmit={submit}>
        <h2 id={`${id}-title`}>{title}</h2>
        <p id={`${id}-words`}>{words}</p>
        {children && (
          <div className="text-sm grid gap-4 mt-5 [&>p]:text-ink-2 [&>:empty]:absolute">{children}</div>
        )}
        <div className={DIALOG_BUTTONS}>
          <Button ref={cancelButton} disabled={busy} onClick={onCancel}>
            {cancel}
          </Button>
          <Button type="submit" look={danger ? 'danger' : 'primary'} busy={busy ?? false} disabled={disabled}>
            {confirm}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
