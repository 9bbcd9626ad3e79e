// Checks ids in requests. PostgreSQL throws an error if a text that is no UUID is compared with a column of type uuid,
// or a text that is no number with a column of type bigint. So statements get null in place of such a text.

/** True for the id of a row: a positive bigint. */
export function isRowId(value: string): boolean {
  return /^[1-9]\d{0,18}$/.test(value) && BigInt(value) < 2n ** 63n;
}

/** Returns `value` if it is the id of a row, else null (see `asUuid`). */
export function asRowId(value: string): string | null {
  return isRowId(value) ? value : null;
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

export function isUuid(value: string): boolean {
  return UUID.test(value);
}

/** Returns `value` if it is a UUID, else null. A look-up with null finds nothing, as with an unknown id (C-12). */
export function asUuid(value: string | null | undefined): string | null {
  return value != null && isUuid(value) ? value : null;
}
