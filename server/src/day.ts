// Converts moments to days in the time zone of the portal, and formats days for messages.

export type Clock = {
  now: () => Date;
  /** Returns the date of `at` in the portal's time zone, as YYYY-MM-DD. */
  dayOf: (at: Date) => string;
};

const DAY = new Intl.DateTimeFormat('en-GB', {
  day: 'numeric',
  month: 'short',
  year: 'numeric',
  timeZone: 'UTC',
});

/** Returns a function that converts a moment to its day in the time zone (an IANA name), as YYYY-MM-DD (C-4). */
export function createDayOf(timeZone: string): (at: Date) => string {
  // The Swedish locale (sv) formats days as YYYY-MM-DD.
  const format = new Intl.DateTimeFormat('sv', {
    timeZone,
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
  });
  // Each call of a learner needs the day, and formatting takes 4 µs. So the result is cached for one minute: in every
  // time zone, days begin at a full minute.
  let last = { minute: Number.NaN, day: '' };
  return (at) => {
    const minute = Math.floor(at.getTime() / 60_000);
    if (minute !== last.minute) last = { minute, day: format.format(at) };
    return last.day;
  };
}

/**
 * Returns the moment at which the day `plusDays` after `day` (YYYY-MM-DD) begins in `timeZone`. If the clocks skip
 * midnight, the day begins at its first minute.
 */
export function startOfDay(day: string, timeZone: string, { plusDays = 0 } = {}): Date {
  const start = Temporal.PlainDate.from(day).add({ days: plusDays }).toZonedDateTime(timeZone);
  return new Date(start.epochMilliseconds);
}

/**
 * Returns a function that converts an ISO 8601 time in UTC to the same moment with the offset of the time zone, such as
 * 2026-07-01T02:00:00.000+02:00. In UTC, the text remains as it is (N-315). The offset tells apart the two equal hours
 * when clocks go back.
 */
export function createTimeIn(timeZone: string): (at: string) => string {
  if (timeZone === 'UTC') return (at) => at;
  // Temporal takes 10 µs for one time, which would double the time of a large export. So the offset is kept until a time is
  // outside the span that has this offset.
  let span = { start: 0, end: 0, offsetMs: 0, offset: '' };
  return (at) => {
    const ms = Date.parse(at);
    if (!(ms >= span.start && ms < span.end)) span = findOffset(ms, timeZone);
    return new Date(ms + span.offsetMs).toISOString().replace('Z', span.offset);
  };
}

/** Returns the offset of the time zone at the moment `ms`, and the span around it, with this offset. */
function findOffset(ms: number, timeZone: string) {
  const at = Temporal.Instant.fromEpochMilliseconds(ms).toZonedDateTimeISO(timeZone);
  // A change at `ms` itself is the beginning of the span.
  const since = at.add({ milliseconds: 1 }).getTimeZoneTransition('previous');
  const until = at.getTimeZoneTransition('next');
  return {
    start: since?.epochMilliseconds ?? Number.NEGATIVE_INFINITY,
    end: until?.epochMilliseconds ?? Number.POSITIVE_INFINITY,
    offsetMs: at.offsetNanoseconds / 1e6,
    offset: at.offset,
  };
}

/** True if `name` is an IANA time zone that this Node knows, for example Europe/Berlin; false for +01:00. */
export function isTimeZone(name: string): boolean {
  if (/^[+-]/.test(name)) return false;
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}

/** Formats a day for messages of the server: 2026-11-27 becomes `27 Nov 2026` (N-67). */
export function formatDay(day: string): string {
  return DAY.format(new Date(`${day}T00:00:00Z`));
}
