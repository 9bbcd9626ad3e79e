// A form: its values, its errors at their fields, and what happens when it is sent.
import { type SubmitEvent, useRef, useState } from 'react';
import { flushSync } from 'react-dom';

/** The words at each field whose value does not fit. */
export type Errors<Values> = Partial<Record<keyof Values, string>>;

/**
 * `start` holds the values of the empty form. `send` gets the values and resolves to the errors, or to {} when all went
 * well; it never rejects. `props` belong on the form, `field(name)` on each field. `reset` puts other values into the form.
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
    // A field can be found by its error only when the error is drawn.
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
      // A form that is being sent does not change.
      if (busy) return;
      setValues((before) => ({ ...before, [name]: value }));
      setErrors(({ [name]: _gone, ...rest }) => rest as Errors<Values>);
    },
  });
  const reset = (to: Values) => {
    setValues(to);
    setErrors({});
  };
  // Not the browser's own checks: the words of the requirements appear.
  const props = { ref: form, noValidate: true, onSubmit: (event: SubmitEvent) => void onSubmit(event) };
  return { values, reset, busy, field, props };
}
