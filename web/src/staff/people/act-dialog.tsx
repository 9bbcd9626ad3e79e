// Layout of a dialog that changes a user's access or code: a text about the effect, the fields, and the reason.
import type { ReactNode } from 'react';
import { queryClient } from '../../queries.ts';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { TextField } from '../../ui/field.tsx';
import { type Errors, useForm } from '../../ui/use-form.ts';
import { say } from '../../words/say.ts';
import { isEditConflict, refreshLists, tellRefusal } from '../action.tsx';
import { isRoleTooLow, useRoleRefusal } from '../role.tsx';
import { accessOf } from './access-words.ts';

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

// State of the form in a dialog of the access card, with the reason of the act (C-9).

/** Minimum length of the reason, in characters; `REASON_MAX` is its maximum length (C-9). */
const REASON_MIN = 3;
const REASON_MAX = 200;

type Order<Values, Reply> = {
  start: Values;
  /** Email address of the user whose access or code changes. */
  email: string;
  /** True if the act may have no reason. */
  isReasonOptional?: (values: Values) => boolean;
  /** Returns an error for each invalid field, except for the reason. */
  check?: (values: Values) => Errors<Values>;
  send: (values: Values) => Promise<Reply>;
  /** Text of the toast if the server sent no message with its error. */
  failed: string;
  /** Called if somebody else has saved meanwhile. No toast is shown then. */
  onConflict?: () => Promise<void>;
  /** Called after a successful change, when the access card has loaded the new state. */
  onDone: (reply: Reply) => void;
};

/** Returns the state of `useForm`, and `isOff` of `useRoleRefusal`. */
export function useActForm<Values extends { reason: string }, Reply>(order: Order<Values, Reply>) {
  const { isOff, noteRefusal } = useRoleRefusal();
  const form = useForm(order.start, async (values) => {
    const isOptional = order.isReasonOptional?.(values) ?? false;
    const problems = { ...order.check?.(values), ...checkReason(values, isOptional) } as Errors<Values>;
    if (Object.keys(problems).length > 0) return problems;
    try {
      const reply = await order.send(values);
      refreshLists('coupons');
      await queryClient.invalidateQueries({ queryKey: accessOf(order.email).queryKey });
      order.onDone(reply);
      return {};
    } catch (error) {
      noteRefusal(error);
      if (order.onConflict && isEditConflict(error)) {
        await order.onConflict();
        return {};
      }
      // Somebody else may have changed the access: the card shows its present state behind the dialog.
      if (!isRoleTooLow(error))
        void queryClient.invalidateQueries({ queryKey: accessOf(order.email).queryKey });
      return tellRefusal<keyof Values>(error, order.failed);
    }
  });
  return { ...form, isOff };
}

/** Returns an error for the field `reason` if the reason is too short. */
export function checkReason({ reason }: { reason: string }, isOptional: boolean): { reason?: string } {
  const { length } = reason.trim();
  if (length >= REASON_MIN || (isOptional && length === 0)) return {};
  return { reason: say('Give a reason of at least {count} characters', { count: REASON_MIN }) };
}
