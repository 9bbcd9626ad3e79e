// A form field for several values: a button that opens a menu of check boxes.
import { ChevronsUpDown } from 'lucide-react';
import { type KeyboardEvent, useRef, useState } from 'react';
import { Field, type FieldProps } from './field.tsx';
import { Icon } from './icon.tsx';
import styles from './multi-select.module.css';
import { type Choices, MultiSelectMenu } from './multi-select-menu.tsx';
import { useLeaving } from './use-leaving.ts';

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
        <div ref={root} className={styles.root} tabIndex={-1} onKeyDown={press}>
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
