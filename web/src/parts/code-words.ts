// Error messages for a sign-in code that was refused.

import { say } from '../words/say.ts';
import { wordsOf } from './error-words.ts';

/**
 * Returns a message for the user. Replaces the sign-in service's message for a wrong or expired code, because that
 * message mentions a token.
 */
export function explainCodeError(error: unknown): string {
  if (error instanceof Error && 'code' in error && error.code === 'otp_expired') {
    return say('This code is wrong or has expired.');
  }
  return wordsOf(error, say('We could not check the code. Please try again.'));
}
