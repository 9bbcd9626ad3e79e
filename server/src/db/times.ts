// Parsers for column types that pg and PGlite would return as different JavaScript values.

const PG_TIME = /^(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d(?:\.\d+)?)([+-]\d\d)(?::?(\d\d))?$/;

/** Object identifiers (pg_type.oid) of the types that are parsed here. */
export const TYPE_OIDS = { int8: 20, date: 1082, timestamp_tz: 1184 } as const;

/**
 * Converts a timestamptz in PostgreSQL's format to ISO 8601 in UTC with milliseconds. Other text is returned unchanged.
 */
export function toIsoTime(text: string): string {
  const match = PG_TIME.exec(text);
  if (!match) return text; // 'infinity', or a year that does not have four digits
  const [, day, clock, hours, minutes = '00'] = match;
  return new Date(`${day}T${clock}${hours}:${minutes}`).toISOString();
}
