// Parsers for column types that pg and PGlite would return as different JavaScript values.

const PG_UTC_TIME = /^(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d)(?:\.(\d+))?\+00$/;
const PG_TIME = /^(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d(?:\.\d+)?)([+-]\d\d)(?::?(\d\d))?$/;

/** Object identifiers (pg_type.oid) of the types that are parsed here. */
export const TYPE_OIDS = { int8: 20, date: 1082, timestamp_tz: 1184 } as const;

/**
 * Converts a timestamptz in PostgreSQL's format to ISO 8601 in UTC with milliseconds. Other text is returned unchanged.
 */
export function toIsoTime(text: string): string {
  // Most databases answer in UTC. Such a time needs no calculation, which would take ten times as long.
  const utc = PG_UTC_TIME.exec(text);
  if (utc) return `${utc[1]}T${utc[2]}.${(utc[3] ?? '').padEnd(3, '0').slice(0, 3)}Z`;
  const match = PG_TIME.exec(text);
  if (!match) return text; // 'infinity', or a year that does not have four digits
  const [, day, clock, hours, minutes = '00'] = match;
  return new Date(`${day}T${clock}${hours}:${minutes}`).toISOString();
}
