// Checks whether a text is the id of a row, a positive bigint. PostgreSQL would throw an error for a query with another
// text.
export function isRowId(value: string): boolean {
  return /^[1-9]\d{0,18}$/.test(value) && BigInt(value) < 2n ** 63n;
}
