// A row of buttons with which the user chooses one of a few values.
import { sayNumber } from '../words/format.ts';
import type { ChoiceProps } from './choice.ts';
import styles from './list-controls.module.css';

export function Segments({ label, value, options, onChange }: ChoiceProps) {
  return (
    <fieldset aria-label={label} className={styles.segments}>
      {options.map((option) => (
        <button
          key={option.value}
          type="button"
          aria-pressed={option.value === value}
          onClick={() => onChange(option.value)}
        >
          {option.label}
          {option.count !== undefined && <span> {sayNumber(option.count)}</span>}
        </button>
      ))}
    </fieldset>
  );
}
