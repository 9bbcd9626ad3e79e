// Checks whether a text is the id of a row, a positive bigint. PostgreSQL throws an error if any other text is compared
// with a column of type bigint.
export function isRowId(value: string): boolean {
  return /^[1-9]\d{0,18}$/.test(value) && BigInt(value) < 2n ** 63n;
}
