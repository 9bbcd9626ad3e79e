// Layout of a dialog that changes a user's access or code: a text about the effect, the fields, and the reason.
import { REASON_MAX, REASON_MIN } from '@portal/contract';
import type { ReactNode } from 'react';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { TextField } from '../../ui/field.tsx';
import { say } from '../../words/say.ts';
import type { DialogAction } from '../action.tsx';
import type { useDialogForm } from '../form.tsx';

/** From this number of characters on, the hint below the field shows how many characters the reason has. */
const COUNTED_FROM = 180;

type ReasonDialogProps = Omit<Parameters<typeof ConfirmDialog>[0], 'act' | 'isForm' | 'disabled'> & {
  form: DialogAction & Pick<ReturnType<typeof useDialogForm<{ reason: string }, unknown>>, 'field'>;
  /** True if the act may have no reason. */
  isReasonOptional?: boolean;
  /** An example of a reason. */
  example: string;
  /** Content below the field 'Reason'. */
  after?: ReactNode;
};

export function ReasonDialog({ form, isReasonOptional = false, example, ...props }: ReasonDialogProps) {
  const { children, after, ...dialog } = props;
  const reason = form.field('reason');
  return (
    <ConfirmDialog {...dialog} act={form}>
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

/** Returns an error for the field `reason` if the reason is too short (C-9). */
export function checkReason({ reason }: { reason: string }, isOptional = false): { reason?: string } {
  const { length } = reason.trim();
  if (length >= REASON_MIN || (isOptional && length === 0)) return {};
  return { reason: say('Give a reason of at least {count} characters', { count: REASON_MIN }) };
}
