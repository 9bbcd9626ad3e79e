// Chooses the message that users see for an error.
import { isUnreachable } from '../unreachable.ts';
import { sayServed } from '../words/say.ts';

/**
 * Returns the error's message for the user. Returns `fallback` if the message comes from the browser or a parser, or is
 * empty.
 */
export function wordsOf(error: unknown, fallback: string): string {
  if (!(error instanceof Error)) return fallback;
  // These errors come from the browser or a parser, so their messages are not for users.
  if (isUnreachable(error)) return fallback;
  const message = error.message.trim();
  return message === '' || message === '{}' ? fallback : sayServed(message);
}
