// A form field for one value of a list.
import { ChevronsUpDown } from 'lucide-react';
import { Field, type FieldProps } from './field.tsx';
import { Icon } from './icon.tsx';
import input from './input.module.css';
import { isolate } from './isolate.ts';
import styles from './select.module.css';

type SelectProps = FieldProps & {
  name?: string;
  value: string;
  onChange: (value: string) => void;
  /** Shown while no option is selected. */
  prompt: string;
  options: readonly { value: string; label: string; note?: string | undefined }[];
};

export function Select({ name, value, onChange, prompt, options, ...field }: SelectProps) {
  return (
    <Field {...field}>
      {(control) => (
        <span className={styles.choice}>
          <select
            {...control}
            name={name}
            className={input.input}
            value={value}
            onChange={({ target }) => onChange(target.value)}
          >
            <option value="">{prompt}</option>
            {options.map((option) => (
              <option key={option.value} value={option.value}>
                {option.note ? `${isolate(option.label)} (${option.note})` : option.label}
              </option>
            ))}
          </select>
          <Icon of={ChevronsUpDown} size={16} />
        </span>
      )}
    </Field>
  );
}
