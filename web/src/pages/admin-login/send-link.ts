// Mails an administrator's sign-in link and says so.
import { sendMagicLink } from '../../auth.ts';
import { wordsOf } from '../../parts/error-words.ts';
import { showToast } from '../../ui/toast-store.ts';
import { say } from '../../words/say.ts';
import { secondsOf } from './resend-wait.ts';

/** Where an administrator's sign-in ends (R-ALOG-15, A-16). */
export const ADMIN_HOME = '/admin';

/** A session that ended on an administrators' page: whose, and the page by its title and its path with the query. */
export type Ended = { email: string; page: string; path: string };

/**
 * Resolves to null when the mail was sent, else to the words of the refusal, and to the seconds to wait before the next
 * try (R-ERR-21).
 */
export async function sendAdminLink(
  email: string,
  returnUrl = ADMIN_HOME,
): Promise<{ refusal: string | null; waitS: number }> {
  try {
    await sendMagicLink(email, { returnUrl });
  } catch (cause) {
    const description = wordsOf(cause, say('Failed to send magic link'));
    showToast({ title: say('Error'), description, variant: 'destructive' });
    return { refusal: description, waitS: cause instanceof Error ? secondsOf(cause.message) : 0 };
  }
  // R-ALOG-17
  showToast({
    title: say('Magic Link Sent'),
    description: say(
      'A magic link has been sent to your email. Please check your inbox and click the link to login.',
    ),
  });
  return { refusal: null, waitS: 0 };
}
