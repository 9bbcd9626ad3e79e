// What a list shows, kept in the page's address: search, filters, and the way to the page.

/** The state of a list. `cursors` are those of the pages walked so far; the last one begins the page shown. */
export type ListState = { q: string; filters: Record<string, string>; cursors: string[] };

// As the server gives them; with another sign between them, so that Previous knows its cursor too.
const CURSORS = /^\d{1,19}(-[\da-f]*)?(\.\d{1,19}(-[\da-f]*)?)*$/;
const Q = 'q';
const AT = 'at';

/** Reads the query of an address. What does not fit is taken as absent, because anybody may write an address. */
export function readListState(search: string, filterNames: readonly string[]): ListState {
  const query = new URLSearchParams(search);
  const at = query.get(AT) ?? '';
  const filters: Record<string, string> = {};
  for (const name of filterNames) {
    const value = query.get(name);
    if (value) filters[name] = value;
  }
  return { q: query.get(Q) ?? '', filters, cursors: CURSORS.test(at) ? at.split('.') : [] };
}

/** The query of an address that shows this state: empty, or with its question mark. */
export function writeListState({ q, filters, cursors }: ListState): string {
  const query = new URLSearchParams();
  if (q) query.set(Q, q);
  for (const [name, value] of Object.entries(filters)) if (value) query.set(name, value);
  if (cursors.length > 0) query.set(AT, cursors.join('.'));
  const text = query.toString();
  return text && `?${text}`;
}

/** Where the server answers this page of the list at `path`. */
export function listRequest(path: string, { q, filters, cursors }: ListState, pageSize: number): string {
  const query = new URLSearchParams({ limit: String(pageSize) });
  const cursor = cursors.at(-1);
  if (cursor) query.set('cursor', cursor);
  if (q) query.set('q', q);
  for (const [name, value] of Object.entries(filters)) query.set(name, value);
  return `${path}?${query}`;
}
