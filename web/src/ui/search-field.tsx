// Searches a list: when the typing pauses, and at once on Enter.
import { Search } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { classes } from './classes.ts';
import { Icon } from './icon.tsx';
import input from './input.module.css';
import styles from './list-controls.module.css';

/** Typing has ended when no key came for this long. */
const TYPING_PAUSE_MS = 300;

type SearchFieldProps = {
  label: string;
  /** What can be typed. */
  hint: string;
  value: string;
  onSearch: (value: string) => void;
};

export function SearchField({ label, hint, value, onSearch }: SearchFieldProps) {
  const [typed, setTyped] = useState(value);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  // A filter may be chosen before the typing has ended.
  const latest = useRef(onSearch);
  useEffect(() => {
    latest.current = onSearch;
  });
  // The address may change by itself: Back, or a new row that is to be seen.
  useEffect(() => setTyped(value), [value]);
  useEffect(() => () => clearTimeout(timer.current), []);

  const search = (words: string, afterMs: number) => {
    clearTimeout(timer.current);
    timer.current = setTimeout(() => latest.current(words.trim()), afterMs);
  };
  return (
    <div className={styles.search}>
      <Icon of={Search} size={16} />
      <input
        type="search"
        className={classes(input.input, input.small)}
        aria-label={label}
        placeholder={hint}
        maxLength={255}
        value={typed}
        onChange={(event) => {
          setTyped(event.target.value);
          search(event.target.value, TYPING_PAUSE_MS);
        }}
        onKeyDown={(event) => event.key === 'Enter' && search(typed, 0)}
      />
    </div>
  );
}
