// State of a dialog that changes what a cohort gives to its members. Staff confirm the number of members (N-95).
import { type Errors, useForm } from '../../../ui/use-form.ts';
import { refreshLists } from '../changes.ts';
import { tellSuccess } from '../refusal-toast.ts';
import { useConfirmedCount } from '../uploads/use-confirmed-count.ts';

type Order<Values> = {
  start: Values;
  /** Number of members that the page shows. */
  members: number;
  /** Returns an error for each invalid field. */
  check?: (values: Values) => Errors<Values>;
  /** Makes the call with the confirmed number, and returns the text of the toast. */
  send: (values: Values, expected: number) => Promise<string>;
  /** Text of the toast if the server sent no message with its error. */
  failed: string;
  /** Called if somebody else has saved meanwhile. */
  onConflict?: () => Promise<void>;
  onClose: () => void;
};

/** Returns the state of `useForm` and of `useConfirmedCount`. */
export function useCohortAct<Values extends object>(order: Order<Values>) {
  const { members, failed, onConflict } = order;
  const counted = useConfirmedCount(members, failed, { of: 'users', ...(onConflict && { onConflict }) });
  const form = useForm(order.start, async (values) => {
    const problems: Errors<Values> = order.check?.(values) ?? {};
    if (Object.keys(problems).length > 0) return problems;
    await counted.confirm(async () => {
      const done = await order.send(values, counted.count);
      order.onClose();
      tellSuccess(done);
      refreshLists('users');
    });
    return {};
  });
  return { ...form, ...counted };
}
