// A row of buttons with which the user chooses one of a few values.
import { useLayoutEffect, useRef } from 'react';
import { sayNumber } from '../words/format.ts';
import type { ChoiceProps } from './choice.ts';
import styles from './list-controls.module.css';

export function Segments({ label, value, options, onChange }: ChoiceProps) {
  const row = useRef<HTMLFieldSetElement>(null);
  const counts = options.map(({ count }) => count).join();
  // Another value presses another button, and other counts change the widths of the buttons.
  useLayoutEffect(() => showPressed(row.current), [value, counts]);
  return (
    <fieldset ref={row} aria-label={label} className={styles.segments}>
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

/** The padding of the row, as in list-controls.module.css. */
const PADDING_PX = 2;

/**
 * Scrolls the row sideways until the pressed button is visible. Does not use `scrollIntoView`, because that would also
 * scroll the page.
 */
function showPressed(row: HTMLElement | null): void {
  const pressed = row?.querySelector('[aria-pressed=true]');
  if (!row || !pressed) return;
  const frame = row.getBoundingClientRect();
  const { left, right } = pressed.getBoundingClientRect();
  const hiddenAtRight = Math.max(right + PADDING_PX - frame.right, 0);
  const hiddenAtLeft = Math.max(frame.left - left + PADDING_PX, 0);
  row.scrollLeft += hiddenAtRight - hiddenAtLeft;
}
