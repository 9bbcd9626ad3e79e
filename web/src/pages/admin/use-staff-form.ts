// A form of staff: its values are checked by the contract, and what was typed outlives the end of the session.
import type { ErrorCode } from '@portal/contract';
import { type Errors, useForm } from '../../ui/use-form.ts';
import { sayServed } from '../../words/say.ts';
import { tellError, tellMissing, tellRefusal } from './refusal-toast.ts';
import { useTyped } from './use-typed.ts';

type Checked<Body> =
  | { success: true; data: Body }
  | { success: false; error: { issues: { path: PropertyKey[]; message: string }[] } };

type Order<Values, Body, Reply> = {
  /** The values of the empty form. */
  start: Values;
  /** The words at each field that must not be blank. */
  required: (values: Values) => Errors<Values> | Promise<Errors<Values>>;
  /** The words of the notification when one of them is blank. */
  sayMissing?: (missing: Errors<Values>) => string | undefined;
  /** The contract's description of what is sent. */
  schema: { safeParse: (values: Values) => Checked<Body> };
  save: (body: Body) => Promise<Reply>;
  /** The words of a failure that has none. */
  failed: string;
  /** The field that a refusal with this code is about. */
  refusedAt?: Partial<Record<ErrorCode, keyof Values>>;
  onSaved: (reply: Reply) => void;
  /** Called with the values that are in the form again after a sign-in. */
  onRestored?: (values: Values) => void;
};

/** `onClear` is there only while the form holds what was typed before the session ended. */
export function useStaffForm<Values extends object, Body, Reply>(order: Order<Values, Body, Reply>) {
  const { start, schema } = order;
  const form = useForm(start, async (values) => {
    const missing = blanksOf(values, await order.required(values));
    if (Object.keys(missing).length > 0) {
      tellMissing(order.sayMissing?.(missing));
      return missing;
    }
    const checked = schema.safeParse(values);
    if (!checked.success) return tellIssues<Values>(checked.error.issues);
    try {
      const reply = await order.save(checked.data);
      clear();
      order.onSaved(reply);
      return {};
    } catch (error) {
      return tellRefusal<keyof Values>(error, order.failed, order.refusedAt);
    }
  });
  const typed = useTyped(form.values, start, (values) => {
    form.reset(values);
    order.onRestored?.(values);
  });
  function clear() {
    form.reset(start);
    typed.forget();
  }
  return { ...form, onClear: typed.isBack ? clear : undefined };
}

function blanksOf<Values>(values: Values, required: Errors<Values>): Errors<Values> {
  const names = (Object.keys(required) as (keyof Values)[]).filter((name) => isBlank(values[name]));
  return Object.fromEntries(names.map((name) => [name, required[name]])) as Errors<Values>;
}

function isBlank(value: unknown): boolean {
  return typeof value === 'string' ? value.trim() === '' : Array.isArray(value) && value.length === 0;
}

/** The first issue of each field at that field; the first of all as a notification, as the server would refuse it. */
function tellIssues<Values>(issues: { path: PropertyKey[]; message: string }[]): Errors<Values> {
  const said = issues.map(({ path: [name], message }) => [name, sayServed(message)] as const);
  tellError(said[0]?.[1] ?? '');
  return Object.fromEntries(said.toReversed()) as Errors<Values>;
}
