// How both engines hand over the types whose JavaScript form would otherwise differ between them.

const PG_TIME = /^(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d(?:\.\d+)?)([+-]\d\d)(?::?(\d\d))?$/;

/** Object identifiers of the PostgreSQL types that are parsed here (pg_type.oid). */
export const TYPE_OIDS = { int8: 20, timestamp_tz: 1184 } as const;

/** A timestamptz as PostgreSQL writes it -> ISO 8601 in UTC with milliseconds, as the wire writes it. */
export function toIsoTime(text: string): string {
  const match = PG_TIME.exec(text);
  if (!match) return text; // 'infinity', or a year outside of four digits
  const [, day, clock, hours, minutes = '00'] = match;
  return new Date(`${day}T${clock}${hours}:${minutes}`).toISOString();
}
