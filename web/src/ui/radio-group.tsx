// A form field with a few choices, each a sentence. The whole row of a choice can be clicked.
import { type ReactNode, useId } from 'react';
import { classes } from './classes.ts';
import styles from './radio-group.module.css';

type RadioGroupProps<Value extends string> = {
  label: string;
  /** The chosen value; '' if none is chosen. */
  value: Value | '';
  options: readonly { value: Value; label: ReactNode }[];
  onChange: (value: Value) => void;
  /** True shows two choices beside each other where there is room. */
  isWide?: boolean;
};

/** A group of radio buttons. The user must choose one of them. */
export function RadioGroup<Value extends string>({
  label,
  value,
  options,
  onChange,
  isWide,
}: RadioGroupProps<Value>) {
  const name = useId();
  return (
    <fieldset className={classes(styles.group, isWide && styles.wide)}>
      <legend>
        {label}
        <span className={styles.star} aria-hidden="true">
          *
        </span>
      </legend>
      {options.map((option) => (
        <label key={option.value} className={styles.choice}>
          <input
            type="radio"
            name={name}
            required
            checked={option.value === value}
            onChange={() => onChange(option.value)}
          />
          <span>{option.label}</span>
        </label>
      ))}
    </fieldset>
  );
}
