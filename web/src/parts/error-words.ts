// Chooses the message that users see for an error.
import { isUnreachable } from '../unreachable.ts';
import { sayServed } from '../words/say.ts';

/** Returns the error's message, or `fallback` if the message was not written for users. */
export function wordsOf(error: unknown, fallback: string): string {
  if (!(error instanceof Error)) return fallback;
  // These messages come from the browser or a parser.
  if (isUnreachable(error)) return fallback;
  const message = error.message.trim();
  return message === '' || message === '{}' ? fallback : sayServed(message);
}
