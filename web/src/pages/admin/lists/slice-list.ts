// Pages of a list that is here in one piece.
import type { ListState } from './list-address.ts';

/** Rows of a page. */
export const PAGE_SIZE = 20;

type Walk = { state: ListState; show: (next: ListState) => void };

/** What a page of a list shows, and the ways from it. */
export type ShownPage<Row> = {
  rows: Row[];
  before: number;
  total: number;
  /** There are more than `total`. */
  isMore: boolean;
  toNext: (() => void) | undefined;
  toPrevious: (() => void) | undefined;
};

/** The page of `all` that the address asks for; a cursor is the number of its first row. */
export function sliceList<Row>(all: Row[], { state, show }: Walk): ShownPage<Row> {
  const { cursors } = state;
  const before = Math.min(Number(cursors.at(-1) ?? 0), all.length);
  const end = before + PAGE_SIZE;
  return {
    rows: all.slice(before, end),
    before,
    total: all.length,
    isMore: false,
    toNext: end < all.length ? () => show({ ...state, cursors: [...cursors, String(end)] }) : undefined,
    toPrevious: cursors.length > 0 ? () => show({ ...state, cursors: cursors.slice(0, -1) }) : undefined,
  };
}
