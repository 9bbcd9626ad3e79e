// Layout of a dialog that changes a user's access or code: a text about the effect, the fields, and the reason.
import type { ReactNode } from 'react';
import { ConfirmDialog } from '../../../ui/confirm-dialog.tsx';
import { TextField } from '../../../ui/text-field.tsx';
import { say } from '../../../words/say.ts';
import { REASON_MAX, type useActForm } from './use-act-form.ts';

/** From this number of characters on, the hint below the field shows how many characters the reason has. */
const COUNTED_FROM = 180;

type ActDialogProps = {
  form: Pick<ReturnType<typeof useActForm<{ reason: string }, unknown>>, 'props' | 'busy' | 'isOff'>;
  title: string;
  /** Text that says what the action does. */
  words: ReactNode;
  reason: { name: string; value: string; error: string | undefined; onChange: (value: string) => void };
  /** True if the act may have no reason. */
  isReasonOptional?: boolean;
  /** An example of a reason. */
  example: string;
  /** Label of the button that starts the action. */
  confirm: string;
  danger?: boolean;
  /** See `ConfirmDialog`. */
  asked?: number | undefined;
  onClose: () => void;
  /** Fields above the field 'Reason'. */
  children?: ReactNode;
  /** Content below the field 'Reason'. */
  after?: ReactNode;
};

export function ActDialog({
  form,
  reason,
  isReasonOptional = false,
  example,
  onClose,
  ...props
}: ActDialogProps) {
  const { children, after, ...dialog } = props;
  return (
    <ConfirmDialog
      {...dialog}
      formRef={form.props.ref}
      busy={form.busy}
      isOff={form.isOff}
      onCancel={onClose}
      onConfirm={form.props.onSubmit}
    >
      {children}
      <TextField
        {...reason}
        label={say('Reason')}
        required={!isReasonOptional}
        optional={isReasonOptional}
        autoComplete="off"
        placeholder={example}
        maxLength={REASON_MAX}
        hint={sayHint(reason.value.length)}
      />
      {after}
    </ConfirmDialog>
  );
}

function sayHint(length: number): string {
  return length < COUNTED_FROM
    ? say('3 to 200 characters. Kept in the log, seen by staff.')
    : say('{count} of 200 characters', { count: length });
}
