// Which words of an error people get to see.
import { isUnreachable } from '../unreachable.ts';
import { sayServed } from '../words/say.ts';

/** The error's own message, or `fallback` when it has none that was written for people. */
export function wordsOf(error: unknown, fallback: string): string {
  if (!(error instanceof Error)) return fallback;
  // The browser's or a parser's words.
  if (isUnreachable(error)) return fallback;
  const message = error.message.trim();
  return message === '' || message === '{}' ? fallback : sayServed(message);
}
