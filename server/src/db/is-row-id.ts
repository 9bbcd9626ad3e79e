// Checks whether a text is the id of a row, a positive bigint. PostgreSQL throws an error if any other text is compared
// with a column of type bigint.
export function isRowId(value: string): boolean {
  return /^[1-9]\d{0,18}$/.test(value) && BigInt(value) < 2n ** 63n;
}

/** Returns the id of a request for a look-up by a column of type bigint: null if it is no row id, as `asUuid`. */
export function asRowId(value: string): string | null {
  return isRowId(value) ? value : null;
}
