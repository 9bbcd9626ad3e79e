// A form field for several lines of text.
import type { TextareaHTMLAttributes } from 'react';
import { Field, type FieldProps } from './field.tsx';
import styles from './input.module.css';

type TextAreaProps = FieldProps &
  Omit<TextareaHTMLAttributes<HTMLTextAreaElement>, keyof FieldProps | 'value' | 'onChange'> & {
    value: string;
    onChange: (value: string) => void;
  };

export function TextArea({ onChange, ...props }: TextAreaProps) {
  const { label, hint, error, noStar, optional, className, ...area } = props;
  return (
    <Field {...props}>
      {(control) => (
        <textarea
          dir="auto"
          {...area}
          {...control}
          className={styles.input}
          onChange={({ target }) => onChange(target.value)}
        />
      )}
    </Field>
  );
}
