// Sends an administrator's sign-in link by mail and shows the result as a toast.
import { sendMagicLink } from '../../auth.ts';
import { wordsOf } from '../../parts/error-words.ts';
import { showToast } from '../../ui/toast-store.ts';
import { say } from '../../words/say.ts';

/** Path that opens after an administrator's sign-in, unless another one is given (R-ALOG-15, A-16). */
export const ADMIN_HOME = '/admin';

/** A session that ended on an admin page. `page` is the page's title; `path` includes the query. */
export type Ended = { email: string; page: string; path: string };

export const sayNotSent = () => say('Failed to send magic link');

/** Sends the link and shows success or failure as a toast (R-ALOG-17, R-ERR-21). Throws the service's error. */
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
