// A select that filters a list by one of many values.
import { ChevronsUpDown } from 'lucide-react';
import type { ChoiceProps } from './choice.ts';
import { classes } from './classes.ts';
import { Icon } from './icon.tsx';
import input from './input.module.css';
import styles from './list-controls.module.css';
import select from './select.module.css';

export function FilterSelect({ label, value, options, onChange }: ChoiceProps) {
  return (
    <span className={classes(styles.choice, select.choice)}>
      <select
        className={classes(input.input, input.small)}
        aria-label={label}
        value={value}
        data-set={value === '' ? undefined : ''}
        onChange={(event) => onChange(event.target.value)}
      >
        {options.map((option) => (
          <option key={option.value} value={option.value}>
            {option.label}
          </option>
        ))}
      </select>
      <Icon of={ChevronsUpDown} size={16} />
    </span>
  );
}
