// A form field for one line of text.
import { type InputHTMLAttributes, useEffect, useRef } from 'react';
import { classes } from './classes.ts';
import { Field, type FieldProps } from './field.tsx';
import styles from './input.module.css';

type TextFieldProps = FieldProps &
  Omit<InputHTMLAttributes<HTMLInputElement>, keyof FieldProps | 'value' | 'onChange'> & {
    value: string;
    onChange: (value: string) => void;
    /** True makes the field as tall as a large button. */
    large?: boolean;
    mono?: boolean;
    /** True if the field gets the focus when it appears. */
    focused?: boolean | undefined;
  };

export function TextField({ onChange, large, mono, focused, ...props }: TextFieldProps) {
  const { label, hint, error, noStar, optional, className, ...input } = props;
  const element = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (focused) element.current?.focus();
  }, [focused]);
  return (
    <Field {...props}>
      {(control) => (
        <input
          ref={element}
          dir="auto"
          {...input}
          {...control}
          className={classes(styles.input, large && styles.large, mono && styles.mono)}
          onChange={({ target }) => onChange(target.value)}
        />
      )}
    </Field>
  );
}
