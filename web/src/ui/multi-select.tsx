// Several of a list: a field that opens check boxes.
import { ChevronsUpDown } from 'lucide-react';
import { type KeyboardEvent, type Ref, useEffect, useRef, useState } from 'react';
import { say } from '../words/say.ts';
import fieldStyles from './form-field.module.css';
import { Marks } from './form-field.tsx';
import { Icon } from './icon.tsx';
import styles from './multi-select.module.css';
import { Problem } from './problem.tsx';

/** A list longer than this can be searched. */
const SEARCHABLE_FROM = 9;

type MultiSelectProps = {
  id: string;
  label: string;
  required?: boolean;
  /** Shown while nothing is chosen. */
  prompt: string;
  /** Said of the choice: '2 products selected'. */
  summary: (count: number) => string;
  options: readonly { value: string; label: string; note?: string | undefined }[];
  chosen: readonly string[];
  onChange: (chosen: string[]) => void;
  error?: string | null;
  ref?: Ref<HTMLButtonElement>;
};

export function MultiSelect(props: MultiSelectProps) {
  const { id, label, required, prompt, summary, options, chosen, error, ref } = props;
  const [open, setOpen] = useState(false);
  const root = useRef<HTMLDivElement>(null);
  const close = () => setOpen(false);
  useLeaving(root, open, close);

  const press = (event: KeyboardEvent) => {
    // Else it would submit the form around.
    if (event.key === 'Enter' && event.target instanceof HTMLInputElement) event.preventDefault();
    if (event.key !== 'Escape' || !open) return;
    event.stopPropagation();
    close();
    root.current?.querySelector('button')?.focus();
  };
  const names = options.filter(({ value }) => chosen.includes(value)).map((option) => option.label);
  return (
    <fieldset className={fieldStyles.field} onKeyDown={press}>
      <legend className="sr-only">{label}</legend>
      <span id={`${id}-label`} className={fieldStyles.label} aria-hidden="true">
        {label}
        <Marks required={required} />
      </span>
      {/* Takes the focus of what is pressed in it and takes none itself, in Firefox words and in Safari every box and button: else `main` would. */}
      <div ref={root} className={styles.root} tabIndex={-1}>
        <button
          ref={ref}
          id={id}
          type="button"
          className={styles.opener}
          data-empty={names.length === 0 ? '' : undefined}
          title={names.join(', ') || undefined}
          aria-expanded={open}
          aria-controls={`${id}-menu`}
          aria-labelledby={`${id}-label ${id}`}
          aria-invalid={error ? true : undefined}
          aria-describedby={error ? `${id}-error` : undefined}
          onClick={() => setOpen(!open)}
        >
          <bdi className="truncate">{wordsOfChoice(names, prompt, summary)}</bdi>
          <Icon of={ChevronsUpDown} size={16} />
        </button>
        {open && <Menu {...props} />}
      </div>
      {error && <Problem id={`${id}-error`}>{error}</Problem>}
    </fieldset>
  );
}

function wordsOfChoice(names: string[], prompt: string, summary: (count: number) => string): string {
  const [only] = names;
  if (only === undefined) return prompt;
  return names.length === 1 ? only : summary(names.length);
}

function Menu({ id, label, options, chosen, onChange }: MultiSelectProps) {
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
            className={`${fieldStyles.input} ${fieldStyles.small}`}
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

/** Calls `leave` when the person presses or moves the focus outside. */
function useLeaving(root: { current: HTMLElement | null }, active: boolean, leave: () => void): void {
  useEffect(() => {
    if (!active) return;
    const look = ({ target }: Event) => {
      if (target instanceof Node && !root.current?.contains(target)) leave();
    };
    document.addEventListener('pointerdown', look);
    document.addEventListener('focusin', look);
    return () => {
      document.removeEventListener('pointerdown', look);
      document.removeEventListener('focusin', look);
    };
  });
}
