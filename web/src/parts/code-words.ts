// What is said about a typed code that was refused.
import { wordsOf } from './error-words.ts';

const WRONG = 'This code is wrong or has expired.';
const NOT_CHECKED = 'We could not check the code. Please try again.';

/** The service's words, in plain ones where it speaks of tokens. */
export function explainCodeError(error: unknown): string {
  if (error instanceof Error && 'code' in error && error.code === 'otp_expired') return WRONG;
  return wordsOf(error, NOT_CHECKED);
}
