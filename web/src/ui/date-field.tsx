// A form field for a day: the browser's own date control, which shows the day in the user's format.
import type { InputHTMLAttributes, SyntheticEvent } from 'react';
import { classes } from './classes.ts';
import { Field, type FieldProps } from './field.tsx';
import styles from './input.module.css';

/**
 * The value of a field in which only a part of a day is filled in. The browser reports '' for such a field, but ''
 * means 'no day'. Schemas of days reject the value 'incomplete', so the portal cannot save it as 'no day'.
 */
const INCOMPLETE = 'incomplete';

type DateFieldProps = FieldProps &
  Omit<InputHTMLAttributes<HTMLInputElement>, keyof FieldProps | 'value' | 'onChange' | 'type'> & {
    /** YYYY-MM-DD, or '' for no day. */
    value: string;
    onChange: (value: string) => void;
  };

/**
 * The first and the last day that the portal stores. With this last day, browsers limit a typed year to four digits.
 */
const FIRST = '2000-01-01';
const LAST = '2999-12-31';

export function DateField({ value, onChange, min, max, ...props }: DateFieldProps) {
  const { label, hint, error, required, noStar, optional, className, ...input } = props;
  const note = ({ currentTarget }: SyntheticEvent<HTMLInputElement>) => {
    const next = currentTarget.validity.badInput ? INCOMPLETE : currentTarget.value;
    if (next !== value) onChange(next);
  };
  return (
    <Field {...props}>
      {(control) => (
        <input
          {...input}
          {...control}
          type="date"
          min={min || FIRST}
          max={max || LAST}
          value={value === INCOMPLETE ? '' : value}
          className={classes(styles.input, styles.day)}
          data-empty={value === '' || undefined}
          onChange={note}
          // Browsers fire no change event when the field changes between empty and incomplete. So key presses are
          // handled too.
          onKeyUp={note}
          onBlur={note}
        />
      )}
    </Field>
  );
}
