// A form that says at each field what it misses, and takes the person to the first one.
import { type SubmitEvent, useRef, useState } from 'react';
import type { Fields } from './typed.ts';
import { useTyped } from './use-typed.ts';

type Problems = Partial<Record<string, string>>;

type FormOrder<Values> = {
  read: (data: FormData) => Values;
  /** What does not fit, by the id of the field. */
  check: (values: Values) => Problems | Promise<Problems>;
  onMissing: (problems: Problems) => void;
  /** Makes the change and answers the key of its row, or null when it was refused. */
  save: (values: Values) => Promise<string | null>;
  /** Called with that key, when the form has been emptied. */
  onSaved: (key: string) => void;
  /** Empties what the form holds outside of its inputs. */
  clear?: () => void;
  /** Takes of these fields what no input holds. */
  restore?: (fields: Fields) => void;
};

export type SavingForm = Pick<FormOrder<unknown>, 'onSaved'>;

/**
 * `submit` belongs on a form with `noValidate`, so that the specified words appear. `onClear` is there only while
 * the form holds what was typed before the session ended.
 */
export function useForm<Values>(order: FormOrder<Values>) {
  const { read, check, onMissing, save, onSaved } = order;
  const [busy, setBusy] = useState(false);
  const [problems, setProblems] = useState<Problems>({});
  const form = useRef<HTMLFormElement>(null);
  const typed = useTyped(form, order.restore);
  const clear = () => {
    form.current?.reset();
    order.clear?.();
    typed.forget();
  };

  const submit = async (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    if (busy) return;
    const values = read(new FormData(event.currentTarget));
    setBusy(true);
    const found = await check(values);
    setProblems(found);
    const [first] = Object.keys(found);
    if (first !== undefined) {
      setBusy(false);
      document.getElementById(first)?.focus();
      return onMissing(found);
    }
    const key = await save(values);
    setBusy(false);
    if (key === null) return;
    clear();
    onSaved(key);
  };
  return { form, busy, problems, submit, onClear: typed.isBack ? clear : undefined };
}

/** A field's text without space around it. */
export function textOf(data: FormData, name: string): string {
  const value = data.get(name);
  return typeof value === 'string' ? value.trim() : '';
}
