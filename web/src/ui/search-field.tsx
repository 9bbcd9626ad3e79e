// A search field for a list. Searches after a pause in typing, or immediately on Enter.
import { Search } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { classes } from './classes.ts';
import { Icon } from './icon.tsx';
import input from './input.module.css';
import styles from './list-controls.module.css';

/** Time without input after which the search starts. */
const TYPING_PAUSE_MS = 300;

type SearchFieldProps = {
  label: string;
  /** Placeholder: the values that can be searched for. */
  hint: string;
  /** What the list is searched for now. */
  value: string;
  onSearch: (value: string) => void;
};

/** The field shows the typed text with its spaces. The search uses the text without outer spaces (R-FIND-01). */
export function SearchField({ label, hint, value, onSearch }: SearchFieldProps) {
  const [typed, setTyped] = useState(value);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  // The search starts after a pause in typing. During this pause, the user may change a filter. So the timer calls the
  // latest `onSearch`.
  const latest = useRef(onSearch);
  useEffect(() => {
    latest.current = onSearch;
  });
  // `value` also changes without typing: by the Back button, or if the list clears the search to show a new row. Only
  // then the field shows `value`, and a search that has not started yet does not start. After a search of the field
  // itself, the field keeps its text: `value` has fewer spaces, and the user may have typed on.
  const own = useRef(value);
  useEffect(() => {
    if (value === own.current) return;
    own.current = value;
    clearTimeout(timer.current);
    setTyped(value);
  }, [value]);
  useEffect(() => () => clearTimeout(timer.current), []);

  const search = (words: string, afterMs: number) => {
    clearTimeout(timer.current);
    timer.current = setTimeout(() => {
      own.current = words.trim();
      latest.current(own.current);
    }, afterMs);
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
