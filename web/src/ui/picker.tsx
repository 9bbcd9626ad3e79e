// A form field for several values: a button that opens a list of check boxes. A long list has a search field.
import { Popover } from '@base-ui/react/popover';
import { ChevronsUpDown } from 'lucide-react';
import { type KeyboardEvent, useRef, useState } from 'react';
import { t } from '../words/translate.ts';
import { Button } from './button.tsx';
import { classes } from './dom.ts';
import { COMPACT_INPUT, Field, type FieldProps } from './field.tsx';
import { Icon } from './icon.tsx';

type Choices = {
  label: string;
  options: readonly { value: string; label: string; note?: string | undefined }[];
  value: readonly string[];
  onChange: (value: string[]) => void;
  /** If true, the list has a button `Select all` or `Clear`, and always a search field (R-DAY-37). */
  canSelectAll?: boolean;
};

type MultiSelectProps = FieldProps &
  Choices & {
    /** Shown while no option is selected. */
    prompt: string;
    /** Returns the text for two or more options, for example '2 products selected'. */
    summary: (count: number) => string;
  };

export function MultiSelect({ prompt, summary, ...props }: MultiSelectProps) {
  const { label, options, value } = props;
  const root = useRef<HTMLDivElement>(null);
  const names = options.filter((option) => value.includes(option.value)).map((option) => option.label);
  const words = names.length > 1 ? summary(names.length) : (names[0] ?? prompt);
  return (
    <Field {...props} group>
      {({ id, required: _unknownToButtons, ...control }) => (
        <div ref={root} className="relative min-w-0">
          <Popover.Root
            onOpenChange={(_open, { reason, event }) => {
              // Escape closes the list only, and not the dialog around it.
              if (reason === 'escape-key') event.preventDefault();
            }}
          >
            <Popover.Trigger
              {...control}
              id={id}
              className={classes(
                'flex min-h-(--control-md) w-full cursor-pointer items-center justify-between gap-2 rounded-md border border-line-control bg-surface px-3 text-left text-md hover:border-ink-3 focus-visible:border-transparent focus-visible:-outline-offset-1 aria-invalid:border-danger',
                names.length === 0 && 'text-ink-3',
              )}
              title={names.join(', ') || undefined}
              aria-haspopup={false}
              aria-labelledby={`${id}-label ${id}`}
            >
              <bdi className="truncate">{words}</bdi>
              <Icon of={ChevronsUpDown} size={16} className="text-ink-3" />
            </Popover.Trigger>
            <Popover.Portal container={root}>
              <Popover.Positioner align="start" sideOffset={4} className="z-(--z-header) w-(--anchor-width)">
                <Popover.Popup
                  id={`${id}-menu`}
                  role="group"
                  aria-label={label}
                  initialFocus={false}
                  className="flex max-h-(--available-height) flex-col rounded-lg border border-line bg-raised p-1 [box-shadow:var(--shadow-md)]"
                  onKeyDown={holdEnter}
                >
                  <ChoiceList {...props} id={id} label={label} />
                </Popover.Popup>
              </Popover.Positioner>
            </Popover.Portal>
          </Popover.Root>
        </div>
      )}
    </Field>
  );
}

/** Enter in a check box or the search field must not submit the form. */
function holdEnter(event: KeyboardEvent): void {
  if (event.key === 'Enter' && event.target instanceof HTMLInputElement) event.preventDefault();
}

/** Smallest number of options for which the list has a search field. */
const SEARCHABLE_FROM = 9;

function ChoiceList({ id, canSelectAll = false, ...props }: Choices & { id: string }) {
  const { label, options, value: chosen, onChange } = props;
  const [find, setFind] = useState('');
  const wanted = find.trim().toLowerCase();
  const shown = options.filter((option) => option.label.toLowerCase().includes(wanted));
  const toggle = (value: string, on: boolean) =>
    onChange(on ? [...chosen, value] : chosen.filter((other) => other !== value));
  // `Select all` and `Clear` change the options that the search finds.
  const values = shown.map(({ value }) => value);
  const others = chosen.filter((value) => !values.includes(value));
  const hasAll = values.length > 0 && values.every((value) => chosen.includes(value));
  return (
    <>
      {(canSelectAll || options.length >= SEARCHABLE_FROM) && (
        <div className="flex flex-none flex-wrap gap-1 p-1 pb-1.5">
          <input
            type="search"
            className={classes(COMPACT_INPUT, 'min-w-24 flex-1')}
            aria-label={t('Find in {list}', { list: label })}
            placeholder={t('Find')}
            value={find}
            onChange={(event) => setFind(event.target.value)}
          />
          {canSelectAll && (
            <Button size="sm" look="ghost" onClick={() => onChange(hasAll ? others : [...others, ...values])}>
              {hasAll ? t('Clear') : t('Select all')}
            </Button>
          )}
        </div>
      )}
      {/* Ten rows of one line with a mouse. */}
      <div className="max-h-85 min-h-0 overflow-y-auto">
        {shown.map((option) => (
          <label
            key={option.value}
            className="flex cursor-pointer items-start gap-2.5 rounded-sm px-2.5 py-1.5 pointer-coarse:py-2.75 text-md wrap-anywhere hover:bg-hover"
          >
            <input
              type="checkbox"
              className="mt-0.5 size-4.5 flex-none cursor-pointer accent-ink"
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
          <p className="text-(length:--text-sm) py-2 px-2.5 text-ink-3">{t('Nothing to choose from.')}</p>
        )}
      </div>
    </>
  );
}
