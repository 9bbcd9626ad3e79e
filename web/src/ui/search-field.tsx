// The search field of a list. In a file of its own, because learners load it without the other controls of lists.
import { Search } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { classes } from './dom.ts';
import { COMPACT_INPUT, SEARCH_INPUT } from './field.tsx';
import { Icon } from './icon.tsx';

const TYPING_PAUSE_MS = 300;

type SearchFieldProps = {
  label: string;
  /** Placeholder: the values that can be searched for. */
  hint: string;
  value: string;
  onSearch: (value: string) => void;
};

/** Searches after a pause in typing (debounced), or on Enter, without leading and trailing spaces (R-FIND-01). */
export function SearchField({ label, hint, value, onSearch }: SearchFieldProps) {
  const [typed, setTyped] = useState(value);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  // During the pause, the user may change a filter. So the timer calls the latest `onSearch`.
  const latest = useRef(onSearch);
  useEffect(() => {
    latest.current = onSearch;
  });
  // If `value` changes without typing, for example by the Back button, the field shows it, and no search is pending any
  // more. After a search of the field itself, the field keeps its text: the user may have typed on.
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
    <div className="relative flex-[3_1_12rem] max-w-88 max-md:flex-[1_1_10rem] max-md:max-w-none">
      <Icon
        of={Search}
        size={16}
        className="absolute top-1/2 left-2.5 [translate:0_-50%] text-ink-3 pointer-events-none"
      />
      <input
        type="search"
        className={classes(COMPACT_INPUT, SEARCH_INPUT, 'pl-8.5 text-ellipsis')}
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
