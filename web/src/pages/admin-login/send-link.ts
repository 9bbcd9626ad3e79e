// Sends an administrator's sign-in link by mail and shows the result as a toast.
import { sendMagicLink } from '../../auth.ts';
import { wordsOf } from '../../parts/error-words.ts';
import { showToast } from '../../ui/toast-store.ts';
import { say } from '../../words/say.ts';

/** Path to open after the sign-in of an administrator, if no other path is given (R-ALOG-15, A-16). */
export const ADMIN_HOME = '/admin';

/**
 * Describes a session that ended on an admin page. `page` is the title of that page; `path` is its path with the query.
 */
export type Ended = { email: string; page: string; path: string };

export const sayNotSent = () => say('Failed to send magic link');

/**
 * Sends the sign-in link. Shows a toast for success or failure (R-ALOG-17, R-ERR-21). Throws the error of the sign-in
 * service.
 */
export async function sendAdminLink(email: string, returnUrl: string): Promise<void> {
  try {
    await sendMagicLink(email, { returnUrl });
  } catch (cause) {
    const description = wordsOf(cause, sayNotSent());
    showToast({ title: say('Error'), description, variant: 'destructive' });
    throw cause;
  }
  showToast({
    title: say('Magic Link Sent'),
    description: say(
      'A magic link has been sent to your email. Please check your inbox and click the link to login.',
    ),
  });
}
