// A form field with a single check box and its label.
import { type ReactNode, useId } from 'react';
import styles from './check.module.css';

type CheckProps = {
  name?: string;
  label: ReactNode;
  hint?: string;
  value: boolean;
  onChange: (value: boolean) => void;
  disabled?: boolean;
  className?: string | undefined;
};

export function Check({ name, label, hint, value, onChange, disabled, className }: CheckProps) {
  const hintId = useId();
  return (
    <div className={className}>
      <label className={styles.check}>
        <input
          type="checkbox"
          name={name}
          checked={value}
          disabled={disabled}
          aria-describedby={hint && hintId}
          onChange={({ target }) => onChange(target.checked)}
        />
        <span>{label}</span>
      </label>
      {hint && (
        <p id={hintId} className={styles.hint}>
          {hint}
        </p>
      )}
    </div>
  );
}
