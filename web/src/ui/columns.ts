// Describes the columns of a table: label, text of a cell, place on phones.
import type { ReactNode } from 'react';
import { cut } from './cut.ts';

/** What a cell shows: `full` is there for those who point at it or listen when `text` had to be cut. */
export type CellWords = { text: string; full?: string };

export type Column<Row> = {
  label: string;
  /** Plain words, cut or not. */
  words: (row: Row) => CellWords;
  /** What is drawn in their place; they remain what is read. */
  draw?: (row: Row, words: CellWords) => ReactNode;
  /** `strong` names the row, `end` stands at its right on phones, `line` has a line of its own there. */
  as: 'strong' | 'line' | 'end';
  mono?: boolean;
  wraps?: boolean;
  /** Written before the value on phones, where the head is not seen. */
  labelOnPhones?: boolean;
  /** Not worth a line on phones. */
  awayOnPhones?: (row: Row) => boolean;
};

/** Words of at most `length` characters, with the full ones beside them when they were cut. */
export function cutWords(full: string, length: number): CellWords {
  const text = cut(full, length);
  return text === full ? { text } : { text, full };
}
