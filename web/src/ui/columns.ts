// Types for the columns of a table: label, text of the cells, layout on phones.
import type { ReactNode } from 'react';
import { cut } from './cut.ts';

/** Text of a cell. If `text` is cut, `full` is the whole text: a tooltip shows it and screen readers read it. */
export type CellWords = { text: string; full?: string };

export type Column<Row> = {
  label: string;
  /** True if only screen readers get the label, for example because the cells contain buttons. */
  labelHidden?: boolean;
  /** Returns the text of the cell in this column. */
  words: (row: Row) => CellWords;
  /** Returns elements to show instead of the text, for example a tag. */
  draw?: (row: Row, words: CellWords) => ReactNode;
  /**
   * `strong` is the cell with the row's name. On phones, an `end` cell is to the right of the name, and a `line` cell
   * is on its own line.
   */
  as: 'strong' | 'line' | 'end';
  mono?: boolean;
  /** True aligns the column right, for numbers. */
  right?: boolean;
  wraps?: boolean;
  /** True if phones show the label before the value, because they do not show the table's head. */
  labelOnPhones?: boolean;
  /** True if tablets (768 to 1023 px) omit the column, because the others need its space. */
  awayOnTablets?: boolean;
  /** Returns true if phones omit the cell, for example because its value is empty. */
  awayOnPhones?: (row: Row) => boolean;
};

/** Cuts the text `full` to `length` characters. The result contains the field `full` only if the text was cut. */
export function cutWords(full: string, length: number): CellWords {
  const text = cut(full, length);
  return text === full ? { text } : { text, full };
}
