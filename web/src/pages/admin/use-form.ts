// A form that says at each field what it misses, and takes the person to the first one.
import { type SubmitEvent, useRef, useState } from 'react';

type Problems = Partial<Record<string, string>>;

type FormOrder<Values> = {
  read: (data: FormData) => Values;
  /** What does not fit, by the id of the field. */
  check: (values: Values) => Problems;
  onMissing: (problems: Problems) => void;
  /** Makes the change; true when it succeeded, and the form is emptied. */
  save: (values: Values) => Promise<boolean>;
};

/** `submit` belongs on a form with `noValidate`, so that the specified words appear. */
export function useForm<Values>({ read, check, onMissing, save }: FormOrder<Values>) {
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
    if (await save(values)) form.current?.reset();
    setBusy(false);
  };
  return { form, busy, problems, submit };
}

/** A field's text without space around it. */
export function textOf(data: FormData, name: string): string {
  const value = data.get(name);
  return typeof value === 'string' ? value.trim() : '';
}
