// What happens at /auth/callback: take what the address brings, check it, decide where to go.
import { call } from '../api.ts';
import { ApiError } from '../api-error.ts';
import { arriveWith, getAccessToken } from '../auth.ts';
import { checkAdmin } from '../calls.ts';
import { type Arrival, readArrival } from '../sign-in-arrival.ts';
import { type Decision, decideSignIn, type Move } from '../sign-in-decision.ts';
import { forgetReturnPath, readRemembered } from '../sign-in-path.ts';
import { showToast } from '../ui/toast-store.ts';
import { isUnreachable } from '../unreachable.ts';
import { say } from '../words/say.ts';
import { wordsOf } from './error-words.ts';

const HOME: Move = { to: '/', afterMs: 0 };

/** Takes what the address brings out of it: tokens must not stay there or in the history. */
export function takeArrival(): Arrival {
  const arrival = readArrival(location);
  history.replaceState(history.state, '', location.pathname);
  return arrival;
}

/**
 * Answers where to go, after how long. Refusals are told and lead home; null when nobody answered, so that the same
 * arrival may be tried again.
 */
export async function finishSignIn(arrival: Arrival): Promise<Move | null> {
  if (arrival.error) return fail(arrival.error);

  try {
    const hasSession = await arriveWith(arrival.tokens);
    const remembered = readRemembered();
    if (hasSession) forgetReturnPath();
    const { referrer } = document;
    const facts = { hasSession, referrer, next: arrival.next, origin: location.origin, ...remembered };
    return await settle(decideSignIn(facts));
  } catch (error) {
    return isUnreachable(error)
      ? null
      : fail(wordsOf(error, say('The sign-in did not succeed. Please try again.')));
  }
}

function fail(words: string): Move {
  showToast({ title: say('Authentication Error'), description: words, variant: 'destructive' });
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
