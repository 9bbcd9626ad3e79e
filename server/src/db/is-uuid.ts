// Checks whether a text is a UUID. PostgreSQL throws an error if a text that is not a UUID is compared with a column of
// type uuid.
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

export function isUuid(value: string): boolean {
  return UUID.test(value);
}

/**
 * Returns the id of a request for a look-up by a column of type uuid: null if it is no UUID. The look-up then finds nothing,
 * as for an unknown id (C-12).
 */
export function asUuid(value: string | null | undefined): string | null {
  return value != null && isUuid(value) ? value : null;
}
