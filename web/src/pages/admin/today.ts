// Today's date, for comparisons with days of the API.

/**
 * Returns today's date (YYYY-MM-DD) by the clock of the browser. Around midnight, the server may have another date: it
 * may then refuse a call, or count other codes.
 */
export function today(): string {
  const now = new Date();
  const [month, day] = [now.getMonth() + 1, now.getDate()].map((part) => String(part).padStart(2, '0'));
  return `${now.getFullYear()}-${month}-${day}`;
}
