// The address of the record of a person.

/** `named` is the `user_id` or the address of the person. */
export const personPath = (named: string) => `/admin/users/${encodeURIComponent(named)}`;

/** Returns what `personPath` got. `part` is the last part of the path, in which the router does not decode an `@`. */
export function readPersonPath(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
