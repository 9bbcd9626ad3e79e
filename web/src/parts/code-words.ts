// What is said about a typed code that was refused.

import { say } from '../words/say.ts';
import { wordsOf } from './error-words.ts';

/** The service's words, in plain ones where it speaks of tokens. */
export function explainCodeError(error: unknown): string {
  if (error instanceof Error && 'code' in error && error.code === 'otp_expired') {
    return say('This code is wrong or has expired.');
  }
  return wordsOf(error, say('We could not check the code. Please try again.'));
}
