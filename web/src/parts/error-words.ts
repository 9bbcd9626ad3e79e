// Which words of an error people get to see.

/** The error's own message, or `fallback` when it has none that was written for people. */
export function wordsOf(error: unknown, fallback: string): string {
  if (!(error instanceof Error)) return fallback;
  // What auth-js says when the service could not be reached or did not answer JSON: the browser's or parser's words.
  if (error.name === 'AuthRetryableFetchError' || error.name === 'AuthUnknownError') return fallback;
  if (error instanceof TypeError) return fallback;
  const message = error.message.trim();
  return message === '' || message === '{}' ? fallback : message;
}
