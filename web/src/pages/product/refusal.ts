// What a learner is told when a code was refused: the specification's mapping of the server's words.
import { ApiError } from '../../api-error.ts';

export type Refusal = {
  /** `soldOut`: no codes left, a state of its own. `session`: not signed in any more. */
  kind: 'refused' | 'soldOut' | 'session';
  title: string;
  message: string;
  /** Somebody else may have what this account has not. */
  wrongAccount?: true;
};

const RESTRICTED = 'Sorry, access is restricted!';
const NOT_REGISTERED =
  'Seems like your email is not registered. Please ensure you login with the same email you made the purchase with.';

/** Title and message of a failed redemption (R-ERR-01 to R-ERR-08, in the order of A-59). */
export function explainRefusal(error: unknown, supportEmail: string): Refusal {
  const words = readWords(error);
  if (!words) {
    const message = `We apologise, there seems to be an error. Please write to us at ${supportEmail}`;
    return { kind: 'refused', title: 'Error', message };
  }

  const { code, status } = words;
  const title = words.title ?? RESTRICTED;
  const noAccess = `Oops! Seems like you do not have access! Please write to us at ${supportEmail} if you think this is an error.`;
  if (status === 401) return { kind: 'session', title, message: words.message ?? noAccess };
  if (code === 'no_coupon_left') return { kind: 'soldOut', title, message: words.message ?? '' };
  if (/access is restricted/i.test(title))
    return { kind: 'refused', title, message: noAccess, wrongAccount: true };
  if (/not authorized|not in our database/i.test(words.message ?? '')) {
    return { kind: 'refused', title, message: NOT_REGISTERED, wrongAccount: true };
  }
  return { kind: 'refused', title, message: noAccess, wrongAccount: true };
}

// Null for a lost connection, a fault of the server, or a body that is not the server's.
function readWords(error: unknown) {
  if (!(error instanceof ApiError) || error.status >= 500) return null;
  if (error.title === undefined && error.serverMessage === undefined) return null;
  return { status: error.status, code: error.code, title: error.title, message: error.serverMessage };
}
