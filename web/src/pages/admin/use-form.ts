// A form that says at each field what it misses, and takes the person to the first one.
import { type SubmitEvent, useRef, useState } from 'react';

type Problems = Partial<Record<string, string>>;

type FormOrder<Values> = {
  read: (data: FormData) => Values;
  /** What does not fit, by the id of the field. */
  check: (values: Values) => Problems;
  onMissing: (problems: Problems) => void;
  /** Makes the change and answers the key of its row, or null when it was refused. */
  save: (values: Values) => Promise<string | null>;
  /** Called with that key, when the form has been emptied. */
  onSaved: (key: string) => void;
};

export type SavingForm = Pick<FormOrder<unknown>, 'onSaved'>;

/** `submit` belongs on a form with `noValidate`, so that the specified words appear. */
export function useForm<Values>({ read, check, onMissing, save, onSaved }: FormOrder<Values>) {
  const [busy, setBusy] = useState(false);
  const [problems, setProblems] = useState<Problems>({});
  const form = useRef<HTMLFormElement>(null);

  const submit = async (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    if (busy) return;
    const values = read(new FormData(event.currentTarget));
    const found = check(values);
    setProblems(found);
    const [first] = Object.keys(found);
    if (first !== undefined) {
      document.getElementById(first)?.focus();
      return onMissing(found);
    }
    setBusy(true);
    const key = await save(values);
    setBusy(false);
    if (key === null) return;
    form.current?.reset();
    onSaved(key);
  };
  return { form, busy, problems, submit };
}

/** A field's text without space around it. */
export function textOf(data: FormData, name: string): string {
  const value = data.get(name);
  return typeof value === 'string' ? value.trim() : '';
}
