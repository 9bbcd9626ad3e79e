// The state of a form: its values, the errors of its fields, and whether it is being sent.
import { type SubmitEvent, useRef, useState } from 'react';
import { flushSync } from 'react-dom';

/** Error messages, by the name of the field. */
export type Errors<Values> = Partial<Record<keyof Values, string>>;

/**
 * Keeps the state of a form. `send` receives the values and resolves to the errors, or to {} on success; it must not reject.
 * Spread the returned `props` on the form and `field(name)` on each field. `reset` replaces the values.
 */
export function useForm<Values extends object>(
  start: Values,
  send: (values: Values) => Promise<Errors<Values>>,
) {
  const [values, setValues] = useState(start);
  const [errors, setErrors] = useState<Errors<Values>>({});
  const [busy, setBusy] = useState(false);
  const form = useRef<HTMLFormElement>(null);

  const onSubmit = async (event: SubmitEvent) => {
    event.preventDefault();
    if (busy) return;
    setBusy(true);
    setErrors({});
    const found = await send(values);
    // Renders synchronously, because the query below finds the first field with an error by its aria-invalid.
    flushSync(() => {
      setBusy(false);
      setErrors(found);
    });
    form.current?.querySelector<HTMLElement>('[aria-invalid]')?.focus();
  };
  const field = <Name extends keyof Values>(name: Name) => ({
    name,
    value: values[name],
    error: errors[name],
    onChange: (value: Values[Name]) => {
      // Ignores input while the values are being sent.
      if (busy) return;
      setValues((before) => ({ ...before, [name]: value }));
      setErrors(({ [name]: _gone, ...rest }) => rest as Errors<Values>);
    },
  });
  const reset = (to: Values) => {
    setValues(to);
    setErrors({});
  };
  // `noValidate` turns off the browser's error messages. The requirements define other messages.
  const props = { ref: form, noValidate: true, onSubmit: (event: SubmitEvent) => void onSubmit(event) };
  return { values, reset, busy, field, props };
}
