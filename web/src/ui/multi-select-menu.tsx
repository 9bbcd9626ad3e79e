// The menu of a multi-select: a check box for each option. A long menu has a search field.
import { useState } from 'react';
import { say } from '../words/say.ts';
import { classes } from './classes.ts';
import input from './input.module.css';
import styles from './multi-select.module.css';

/** Smallest number of options for which the menu has a search field. */
const SEARCHABLE_FROM = 9;

export type Choices = {
  label: string;
  options: readonly { value: string; label: string; note?: string | undefined }[];
  value: readonly string[];
  onChange: (value: string[]) => void;
};

export function MultiSelectMenu({ id, label, options, value: chosen, onChange }: Choices & { id: string }) {
  const [find, setFind] = useState('');
  const wanted = find.trim().toLowerCase();
  const shown = options.filter((option) => option.label.toLowerCase().includes(wanted));
  const toggle = (value: string, on: boolean) =>
    onChange(on ? [...chosen, value] : chosen.filter((other) => other !== value));
  return (
    <div id={`${id}-menu`} className={styles.menu}>
      {options.length >= SEARCHABLE_FROM && (
        <div className={styles.find}>
          <input
            type="search"
            className={classes(input.input, input.small)}
            aria-label={say('Find in {list}', { list: label })}
            placeholder={say('Find')}
            value={find}
            onChange={(event) => setFind(event.target.value)}
          />
        </div>
      )}
      {shown.map((option) => (
        <label key={option.value} className={styles.option}>
          <input
            type="checkbox"
            aria-labelledby={`${id}-${option.value}`}
            aria-describedby={option.note && `${id}-${option.value}-note`}
            checked={chosen.includes(option.value)}
            onChange={(event) => toggle(option.value, event.target.checked)}
          />
          <bdi id={`${id}-${option.value}`}>{option.label}</bdi>
          {option.note && (
            <span id={`${id}-${option.value}-note`} className={styles.note}>
              {option.note}
            </span>
          )}
        </label>
      ))}
      {shown.length === 0 && <p className={styles.none}>{say('Nothing to choose from.')}</p>}
    </div>
  );
}
