// Splits a list that is already in the browser into pages.
import type { ListState } from './list-address.ts';

/** Rows per page. */
export const PAGE_SIZE = 20;

type Walk = { state: ListState; show: (next: ListState) => void };

/** The rows of one page, their position in the list, and functions that open the next and the previous page. */
export type ShownPage<Row> = {
  rows: Row[];
  before: number;
  total: number;
  /** True if the list has more rows than `total`, because the server stops counting at a limit. */
  isMore: boolean;
  toNext: (() => void) | undefined;
  toPrevious: (() => void) | undefined;
};

/** Returns the page of `all` that `state` selects. The cursor of a page is the index of its first row in `all`. */
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
