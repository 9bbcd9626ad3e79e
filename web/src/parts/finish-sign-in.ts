// What happens at /auth/callback: take what the address brings, check it, decide where to go.

import { call } from '../api.ts';
import { ApiError } from '../api-error.ts';
import { arriveWith, getAccessToken } from '../auth.ts';
import { checkAdmin } from '../calls.ts';
import { readArrival } from '../sign-in-arrival.ts';
import { type Decision, decideSignIn, type Move } from '../sign-in-decision.ts';
import { forgetDeparture, readRemembered } from '../sign-in-path.ts';
import { showToast } from '../ui/toast-store.ts';
import { wordsOf } from './error-words.ts';

const HOME: Move = { to: '/', afterMs: 0 };
const FAILED = 'The sign-in did not succeed. Please try again.';

/** Takes the session out of the address and answers where to go, after how long. Failures are told and lead home. */
export async function finishSignIn(): Promise<Move> {
  const arrival = readArrival(location);
  // At once: tokens must not stay in the address or in the history.
  history.replaceState(history.state, '', location.pathname);
  if (arrival.error) return fail(arrival.error);

  try {
    const hasSession = await arriveWith(arrival.tokens);
    const remembered = readRemembered();
    if (hasSession) forgetDeparture();
    const { referrer } = document;
    const facts = { hasSession, referrer, next: arrival.next, origin: location.origin, ...remembered };
    return await settle(decideSignIn(facts));
  } catch (error) {
    return fail(wordsOf(error, FAILED));
  }
}

function fail(words: string): Move {
  showToast({ title: 'Authentication Error', description: words, variant: 'destructive' });
  return HOME;
}

async function settle(decision: Decision): Promise<Move> {
  if ('to' in decision) return decision;
  if (!(await getAccessToken())) return decision.onError;
  try {
    const { user } = await call(checkAdmin);
    return user.user_role === 'admin' ? decision.ifAdmin : decision.ifNot;
  } catch (error) {
    return error instanceof ApiError && error.status === 403 ? decision.ifNot : decision.onError;
  }
}
