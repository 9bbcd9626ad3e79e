// Checks whether a text is the id of a row: a bigint. PostgreSQL would throw an error for a query with another text.

export function isRowId(value: string): boolean {
  return /^\d{1,19}$/.test(value) && BigInt(value) < 2n ** 63n;
}
