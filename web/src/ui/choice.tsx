// Controls to choose one of a few values: a row of buttons, radio buttons, a select that filters a list.
import { type ReactNode, useId, useLayoutEffect, useRef } from 'react';
import { formatNumber } from '../words/format.ts';
import { classes } from './dom.ts';
import { COMPACT_INPUT, NativeSelect, RequiredStar } from './field.tsx';

export type ChoiceProps = {
  label: string;
  value: string;
  options: readonly { value: string; label: string; count?: number | undefined }[];
  onChange: (value: string) => void;
};

export function Segments({ label, value, options, onChange }: ChoiceProps) {
  const row = useRef<HTMLFieldSetElement>(null);
  const counts = options.map(({ count }) => count).join();
  // Scrolls again: a new `value` presses another button, and new `counts` change the widths of the buttons.
  useLayoutEffect(() => showPressed(row.current), [value, counts]);
  return (
    <fieldset
      ref={row}
      aria-label={label}
      className="inline-flex min-w-0 max-w-full p-0.5 bg-neutral-3 rounded-md text-(length:--text-sm) overflow-x-auto [scrollbar-width:none]"
    >
      {options.map((option) => (
        <button
          key={option.value}
          type="button"
          className="flex-none h-7 px-2.5 rounded-sm font-medium text-ink-2 cursor-pointer focus-visible:-outline-offset-2 aria-pressed:bg-[light-dark(var(--n-0),var(--n-6))] aria-pressed:text-ink aria-pressed:[box-shadow:var(--shadow-sm)] forced-colors:aria-pressed:[outline:2px_solid_Highlight] forced-colors:aria-pressed:-outline-offset-2"
          aria-pressed={option.value === value}
          onClick={() => onChange(option.value)}
        >
          {option.label}
          {option.count !== undefined && (
            <span
              className={classes(
                'whitespace-pre font-normal tabular-nums',
                option.value !== value && 'text-ink-3',
              )}
            >
              {' '}
              {formatNumber(option.count)}
            </span>
          )}
        </button>
      ))}
    </fieldset>
  );
}

/** The padding of the row, `p-0.5`. */
const PADDING_PX = 2;

/** Scrolls the row sideways to the pressed button. `scrollIntoView` would also scroll the page. */
function showPressed(row: HTMLElement | null): void {
  const pressed = row?.querySelector('[aria-pressed=true]');
  if (!row || !pressed) return;
  const frame = row.getBoundingClientRect();
  const { left, right } = pressed.getBoundingClientRect();
  row.scrollLeft +=
    Math.max(right + PADDING_PX - frame.right, 0) - Math.max(frame.left - left + PADDING_PX, 0);
}

type RadioGroupProps<Value extends string> = {
  label: string;
  /** The chosen value; '' if none is chosen. */
  value: Value | '';
  options: readonly { value: Value; label: ReactNode }[];
  onChange: (value: Value) => void;
  /** True shows two choices beside each other where there is room. */
  isWide?: boolean;
};

/** A form field with a few choices, each a sentence. The user must choose one of them. */
export function RadioGroup<Value extends string>(props: RadioGroupProps<Value>) {
  const { label, value, options, onChange, isWide } = props;
  const name = useId();
  return (
    <fieldset
      className={classes(
        'grid grid-cols-[minmax(0,1fr)] gap-2 min-w-0 [&>legend]:text-sm [&>legend]:mb-2 [&>legend]:font-medium [&>legend]:text-ink',
        isWide && 'min-[40rem]:grid-cols-[repeat(2,minmax(0,1fr))]',
      )}
    >
      <legend>
        {label}
        <RequiredStar />
      </legend>
      {options.map((option) => (
        <label
          key={option.value}
          className="grid grid-cols-[1.125rem_minmax(0,1fr)] gap-3 py-3 px-3.5 border border-line-control rounded-md text-md text-ink cursor-pointer hover:border-ink-3 has-checked:border-ink has-checked:[box-shadow:inset_0_0_0_1px_var(--ink)]"
        >
          <input
            type="radio"
            name={name}
            className="size-4.5 mt-0.5 accent-ink cursor-[inherit]"
            required
            checked={option.value === value}
            onChange={() => onChange(option.value)}
          />
          <span>{option.label}</span>
        </label>
      ))}
    </fieldset>
  );
}

/** A select of a list. It is emphasised if another option than the first one, the usual one, is chosen. */
export function FilterSelect({ label, value, options, onChange }: ChoiceProps) {
  return (
    <NativeSelect
      frame="flex-[1_1_9.5rem] md:max-lg:flex-[1_1_8.5rem] min-w-0 max-w-56 [&>select[data-set]]:border-ink [&>select[data-set]]:font-medium max-md:flex-[1_1_100%] max-md:max-w-none"
      // As light as a button beside it: its text and its arrow show what it is.
      className={classes(COMPACT_INPUT, '[&:not([data-set],:hover,:focus-visible)]:border-line-strong')}
      data-set={value === '' || value === options[0]?.value ? undefined : ''}
      aria-label={label}
      value={value}
      options={options}
      onChange={onChange}
    />
  );
}
