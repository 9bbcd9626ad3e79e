// What stands around a list: search, filters, and the way to its next page.
import { ChevronsUpDown, Search } from 'lucide-react';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { sayNumber } from '../words/format.ts';
import { say } from '../words/say.ts';
import { Button } from './button.tsx';
import { classes } from './classes.ts';
import fieldStyles from './form-field.module.css';
import { Icon } from './icon.tsx';
import styles from './list-controls.module.css';

/** Typing has ended when no key came for this long. */
const TYPING_PAUSE_MS = 300;

export function Toolbar({ children }: { children: ReactNode }) {
  return <div className={styles.toolbar}>{children}</div>;
}

type SearchFieldProps = {
  label: string;
  /** What can be typed. */
  hint: string;
  value: string;
  onSearch: (value: string) => void;
};

/** Searches by itself when the typing pauses, and at once on Enter. */
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
        className={classes(fieldStyles.input, fieldStyles.small)}
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

type Option = { value: string; label: string; count?: number | undefined };
type ChoiceProps = {
  label: string;
  value: string;
  options: readonly Option[];
  onChange: (value: string) => void;
};

/** One of a few: all of them are seen. */
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

/** One of many. */
export function FilterSelect({ label, value, options, onChange }: ChoiceProps) {
  return (
    <span className={classes(styles.choice, fieldStyles.choice)}>
      <select
        className={classes(fieldStyles.input, fieldStyles.small)}
        aria-label={label}
        value={value}
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

type PagerProps = {
  /** How many rows stand before this page. */
  before: number;
  shown: number;
  total: number;
  /** There are more than `total`. */
  isMore: boolean;
  onPrevious?: (() => void) | undefined;
  onNext?: (() => void) | undefined;
};

export function Pager({ before, shown, total, isMore, onPrevious, onNext }: PagerProps) {
  const figures = {
    from: sayNumber(before + 1),
    to: sayNumber(before + shown),
    total: sayNumber(total),
  };
  return (
    <div className={styles.foot}>
      <span role="status">
        {isMore ? say('{from}–{to} of more than {total}', figures) : say('{from}–{to} of {total}', figures)}
      </span>
      {(onPrevious || onNext) && (
        <div className={styles.pages}>
          {/* Not `disabled`: the one that was pressed keeps the focus on the first and the last page. */}
          <Button size="sm" aria-disabled={!onPrevious} onClick={onPrevious}>
            {say('Previous')}
          </Button>
          <Button size="sm" aria-disabled={!onNext} onClick={onNext}>
            {say('Next')}
          </Button>
        </div>
      )}
    </div>
  );
}
