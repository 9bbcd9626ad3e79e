// Reads and writes the state of a list in the URL: search, filters, and the cursors of the pages.

/**
 * The state of a list. `cursors` has one cursor for each page from the second page to the current page. So the last
 * cursor selects the current page.
 */
export type ListState = { q: string; filters: Record<string, string>; cursors: string[] };

// Cursors in the format of the server, separated by dots. The URL contains the cursors of all earlier pages, because
// the button 'Previous' needs them.
const CURSORS = /^\d{1,19}(-[\da-f]*)?(\.\d{1,19}(-[\da-f]*)?)*$/;
const Q = 'q';
const AT = 'at';

/**
 * Reads the state of a list from the query of a URL. Ignores unknown names and invalid cursors, because users can edit
 * the URL.
 */
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

/** Returns the query for a URL, with its question mark. Returns '' if the state is the initial one. */
export function writeListState({ q, filters, cursors }: ListState): string {
  const query = new URLSearchParams();
  if (q) query.set(Q, q);
  for (const [name, value] of Object.entries(filters)) if (value) query.set(name, value);
  if (cursors.length > 0) query.set(AT, cursors.join('.'));
  const text = query.toString();
  return text && `?${text}`;
}

/** Returns the URL of the request for the current page of the list. `path` is the path of the API call. */
export function listRequest(path: string, { q, filters, cursors }: ListState, pageSize: number): string {
  const query = new URLSearchParams({ limit: String(pageSize) });
  const cursor = cursors.at(-1);
  if (cursor) query.set('cursor', cursor);
  if (q) query.set('q', q);
  for (const [name, value] of Object.entries(filters)) query.set(name, value);
  return `${path}?${query}`;
}
