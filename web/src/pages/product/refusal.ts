// Maps the error of a failed redemption to the title and message that the learner reads.
import { ApiError } from '../../api-error.ts';
import { isUnreachable } from '../../unreachable.ts';
import { say, sayServed } from '../../words/say.ts';
import { type Closed, closedByRefusal } from './closed.ts';

export type Refusal = {
  /**
   * Kind of the failure. `soldOut`: no codes are left; the page shows this as a state of its own. `session`: the
   * session has ended.
   */
  kind: 'refused' | 'soldOut' | 'session';
  title: string;
  message: string;
  /** Set if the learner might have access with another account. */
  wrongAccount?: true;
  /** Set if the error is probably temporary. Then a button beside the message redeems again (N-119). */
  mayPass?: true;
};

/** Status codes that a proxy sends if it cannot reach the portal. */
const UNREACHED = [404, 502, 503, 504];

/**
 * Returns the title and message for a failed redemption (R-ERR-01 to R-ERR-08), or why the ticket is closed
 * (R-LIFE-36). The checks run in the order of A-59.
 */
export function explainRefusal(error: unknown, supportEmail: string): Refusal | Closed {
  const refusal = error instanceof ApiError ? error : undefined;
  if (refusal?.status === 429) {
    const message = say('Please wait a moment and try again.');
    return { kind: 'refused', title: say('Too many requests'), message };
  }
  if (!refusal?.isReadable || refusal.status >= 500) {
    const message = say('We apologise, there seems to be an error. Please write to us at {email}', {
      email: supportEmail,
    });
    return { kind: 'refused', title: say('Error'), message, ...(mayPass(error) && { mayPass: true }) };
  }

  const { code, status } = refusal;
  const closed = closedByRefusal(code, refusal.day);
  if (closed) return closed;
  const title = refusal.title === undefined ? say('Sorry, access is restricted!') : sayServed(refusal.title);
  const served = refusal.serverMessage && sayServed(refusal.serverMessage);
  const noAccess = say(
    'Oops! Seems like you do not have access! Please write to us at {email} if you think this is an error.',
    { email: supportEmail },
  );
  if (status === 401) return { kind: 'session', title, message: served ?? noAccess };
  if (code === 'no_coupon_left') return { kind: 'soldOut', title, message: served ?? '' };
  if (code === 'product_not_found') return { kind: 'refused', title, message: served ?? '' };
  if (refusal.title === undefined || /access is restricted/i.test(refusal.title))
    return { kind: 'refused', title, message: noAccess, wrongAccount: true };
  if (/not authorized|not in our database/i.test(refusal.serverMessage ?? '')) {
    const message = say(
      'Seems like your email is not registered. Please ensure you login with the same email you made the purchase with.',
    );
    return { kind: 'refused', title, message, wrongAccount: true };
  }
  return { kind: 'refused', title, message: noAccess, wrongAccount: true };
}

/**
 * Returns true if the error is probably temporary: there is no connection, a proxy cannot reach the portal, or the
 * server is overloaded (503).
 */
function mayPass(error: unknown): boolean {
  if (!(error instanceof ApiError)) return isUnreachable(error);
  return error.status === 503 || (!error.isReadable && UNREACHED.includes(error.status));
}
