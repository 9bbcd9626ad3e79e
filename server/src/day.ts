// Days: that of a moment in the portal's time zone, and a day as text for people.

const DAY = new Intl.DateTimeFormat('en-GB', {
  day: 'numeric',
  month: 'short',
  year: 'numeric',
  timeZone: 'UTC',
});

/** Returns the function that gives the day of a moment in `timeZone`, an IANA name, as YYYY-MM-DD (C-4). */
export function createDayOf(timeZone: string): (at: Date) => string {
  // The locale sv writes dates as YYYY-MM-DD.
  const format = new Intl.DateTimeFormat('sv', {
    timeZone,
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
  });
  return (at) => format.format(at);
}

/** True for an IANA name that this Node knows, for example Europe/Berlin. */
export function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}

/** Returns a day such as 2026-11-27 as `27 Nov 2026`, for messages of the server (N-67). */
export function formatDay(day: string): string {
  return DAY.format(new Date(`${day}T00:00:00Z`));
}
