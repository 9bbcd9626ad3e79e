// A form field for several values: a button that opens a menu of check boxes.
import { ChevronsUpDown } from 'lucide-react';
import { type KeyboardEvent, useRef, useState } from 'react';
import { say } from '../words/say.ts';
import { useLeaving } from './dom.ts';
import { COMPACT_INPUT, Field, type FieldProps } from './field.tsx';
import { Icon } from './icon.tsx';
import styles from './multi-select.module.css';

type MultiSelectProps = FieldProps &
  Choices & {
    /** Shown while no option is selected. */
    prompt: string;
    /** Returns the button's text for two or more selected options, for example '2 products selected'. */
    summary: (count: number) => string;
  };

export function MultiSelect({ prompt, summary, ...props }: MultiSelectProps) {
  const { label, options, value } = props;
  const [open, setOpen] = useState(false);
  const root = useRef<HTMLDivElement>(null);
  const close = () => setOpen(false);
  useLeaving(root, open, close);

  const press = (event: KeyboardEvent) => {
    // Enter in a check box or the search field must not submit the form.
    if (event.key === 'Enter' && event.target instanceof HTMLInputElement) event.preventDefault();
    if (event.key !== 'Escape' || !open) return;
    // Escape closes the menu only, and not the dialog around it.
    event.preventDefault();
    event.stopPropagation();
    close();
    root.current?.querySelector('button')?.focus();
  };
  const names = options.filter((option) => value.includes(option.value)).map((option) => option.label);
  return (
    <Field {...props} group>
      {({ id, required: _unknownToButtons, ...control }) => (
        // Clicks on text in Firefox, and on buttons and check boxes in Safari, focus the nearest focusable ancestor.
        // `tabIndex` makes that this element, because a focus on `main` would close the menu.
        // biome-ignore lint/a11y/noStaticElementInteractions: handles the keys of the controls inside.
        <div ref={root} className="relative min-w-0" tabIndex={-1} onKeyDown={press}>
          <button
            {...control}
            id={id}
            type="button"
            className={styles.opener}
            data-empty={names.length === 0 ? '' : undefined}
            title={names.join(', ') || undefined}
            aria-expanded={open}
            aria-controls={`${id}-menu`}
            aria-labelledby={`${id}-label ${id}`}
            onClick={() => setOpen(!open)}
          >
            <bdi className="truncate">{wordsOfChoice(names, prompt, summary)}</bdi>
            <Icon of={ChevronsUpDown} size={16} />
          </button>
          {open && <MultiSelectMenu {...props} id={id} label={label} />}
        </div>
      )}
    </Field>
  );
}

function wordsOfChoice(names: string[], prompt: string, summary: (count: number) => string): string {
  const [only] = names;
  if (only === undefined) return prompt;
  return names.length === 1 ? only : summary(names.length);
}

// The menu of a multi-select: a check box for each option. A long menu has a search field.

/** Smallest number of options for which the menu has a search field. */
const SEARCHABLE_FROM = 9;

export type Choices = {
  label: string;
  options: readonly { value: string; label: string; note?: string | undefined }[];
  value: readonly string[];
  onChange: (value: string[]) => void;
};

function MultiSelectMenu({ id, label, options, value: chosen, onChange }: Choices & { id: string }) {
  const [find, setFind] = useState('');
  const wanted = find.trim().toLowerCase();
  const shown = options.filter((option) => option.label.toLowerCase().includes(wanted));
  const toggle = (value: string, on: boolean) =>
    onChange(on ? [...chosen, value] : chosen.filter((other) => other !== value));
  return (
    <div
      id={`${id}-menu`}
      className="absolute z-(--z-header) top-[calc(100%_+_0.25rem)] left-0 right-0 max-h-72 overflow-y-auto p-1 bg-raised border border-line rounded-lg [box-shadow:var(--shadow-md)]"
    >
      {options.length >= SEARCHABLE_FROM && (
        <div className="pt-1 px-1 pb-1.5">
          <input
            type="search"
            className={COMPACT_INPUT}
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
            <span
              id={`${id}-${option.value}-note`}
              className="text-(length:--text-sm) flex-none ml-auto tabular-nums text-ink-3"
            >
              {option.note}
            </span>
          )}
        </label>
      ))}
      {shown.length === 0 && (
        <p className="text-(length:--text-sm) py-2 px-2.5 text-ink-3">{say('Nothing to choose from.')}</p>
      )}
    </div>
  );
}
