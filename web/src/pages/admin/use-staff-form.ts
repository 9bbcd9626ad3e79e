// State of an admin form. The values are validated with the schema of the contract. Values that were typed before the
// session ended are restored.
import type { ErrorCode } from '@portal/contract';
import { ApiError } from '../../api-error.ts';
import { type Errors, useForm } from '../../ui/use-form.ts';
import { sayServed } from '../../words/say.ts';
import { tellError, tellMissing, tellRefusal } from './refusal-toast.ts';
import { useRoleRefusal } from './role-gate.tsx';
import { useTyped } from './use-typed.ts';

type Checked<Body> =
  | { success: true; data: Body }
  | { success: false; error: { issues: { path: PropertyKey[]; message: string }[] } };

type Order<Values, Body, Reply> = {
  /** See `useTyped`. */
  mark?: string;
  /** Values of the empty form. */
  start: Values;
  /** Returns an error text for each required field. The text is shown if the field is blank. */
  required: (values: Values) => Errors<Values> | Promise<Errors<Values>>;
  /**
   * Returns the text of the toast about blank fields. If the returned text is undefined, the toast shows a default
   * text.
   */
  sayMissing?: (missing: Errors<Values>) => string | undefined;
  /** Schema of the request body, from the contract. */
  schema: { safeParse: (values: Values) => Checked<Body> };
  save: (body: Body) => Promise<Reply>;
  /** Text of the toast if the server sent no message with its error. */
  failed: string;
  /** Maps error codes of the server to the field that shows the error. */
  refusedAt?: Partial<Record<ErrorCode, keyof Values>>;
  /**
   * Texts for values that the schema or the server refuses, by field. If a field has no text here, the message of the
   * schema or of the server is shown.
   */
  sayInvalid?: Errors<Values>;
  /**
   * Called if somebody else has saved in the meantime. No toast is shown then. If `onConflict` is undefined, a toast is
   * shown.
   */
  onConflict?: () => void;
  /** Called after the values were saved, when the form is empty again. `reset` fills the form with other values. */
  onSaved: (reply: Reply, reset: (to: Values) => void) => void;
  /** Called with the restored values, after the form has shown them again. */
  onRestored?: (values: Values) => void;
};

/**
 * Returns the state of `useForm`, the state of `useRoleRefusal`, and `onClear`, which empties the form. `onClear` is set
 * only while the form contains restored values; otherwise it is undefined.
 */
export function useStaffForm<Values extends object, Body, Reply>(order: Order<Values, Body, Reply>) {
  const { start, schema } = order;
  const refusal = useRoleRefusal();
  const form = useForm(start, async (values) => {
    if (refusal.isOff) return {};
    const missing = blanksOf(values, await order.required(values));
    if (Object.keys(missing).length > 0) {
      tellMissing(order.sayMissing?.(missing));
      return missing;
    }
    const checked = schema.safeParse(values);
    if (!checked.success) return tellIssues<Values>(checked.error.issues, order.sayInvalid);
    try {
      const reply = await order.save(checked.data);
      clear();
      order.onSaved(reply, form.reset);
      return {};
    } catch (error) {
      refusal.noteRefusal(error);
      if (order.onConflict && error instanceof ApiError && error.code === 'edit_conflict') {
        order.onConflict();
        return {};
      }
      return tellRefusal<keyof Values>(error, order.failed, order.refusedAt, order.sayInvalid);
    }
  });
  const typed = useTyped(
    form.values,
    start,
    (values) => {
      form.reset(values);
      order.onRestored?.(values);
    },
    order.mark,
  );
  function clear() {
    form.reset(start);
    typed.forget();
  }
  return { ...form, ...refusal, onClear: typed.isBack ? clear : undefined };
}

function blanksOf<Values>(values: Values, required: Errors<Values>): Errors<Values> {
  const names = (Object.keys(required) as (keyof Values)[]).filter((name) => isBlank(values[name]));
  return Object.fromEntries(names.map((name) => [name, required[name]])) as Errors<Values>;
}

function isBlank(value: unknown): boolean {
  return typeof value === 'string' ? value.trim() === '' : Array.isArray(value) && value.length === 0;
}

/**
 * Returns an error for each invalid field: the first issue of that field. Shows the first issue of the whole form as a
 * toast. The text of an issue comes from `sayInvalid`, or else from the schema.
 */
function tellIssues<Values>(
  issues: { path: PropertyKey[]; message: string }[],
  sayInvalid: Errors<Values> = {},
): Errors<Values> {
  const said = issues.map(
    ({ path: [name], message }) => [name, sayInvalid[name as keyof Values] ?? sayServed(message)] as const,
  );
  tellError(said[0]?.[1] ?? '');
  return Object.fromEntries(said.toReversed()) as Errors<Values>;
}
