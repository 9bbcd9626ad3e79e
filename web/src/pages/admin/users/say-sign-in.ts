// Formats the time of a user's last sign-in.
import { sayDate } from '../../../words/format.ts';
import { say } from '../../../words/say.ts';

/** Returns day and time, or 'Never' if `at` is null. */
export function saySignIn(at: string | null): string {
  return at === null ? say('Never') : sayDate(new Date(at), { dateStyle: 'medium', timeStyle: 'short' });
}
