// The callback page: finishes a sign-in and redirects (R-CB-01 to R-CB-13).
import { useCallback, useEffect, useRef, useState } from 'react';
import { useLocation } from 'wouter';
import { ApiError, call, checkAdmin, listMyProducts } from '../api.ts';
import { arriveWith, getAccessToken, getSessionState, isUnreachable } from '../auth.ts';
import { CentredPage, LoadError } from '../page.tsx';
import { fetchIsMember, queryClient, queryOf, useCurrentUser, useSession } from '../queries.ts';
import { StatusLine } from '../ui/notice.tsx';
import { showError, showToast } from '../ui/toast-store.ts';
import { t } from '../words/translate.ts';
import { wordsOf } from './form.tsx';
import { type Arrival, forgetReturnPath, ownPath, readArrival, readRemembered } from './session.ts';

export function AuthCallbackPage() {
  const [, navigate] = useLocation();
  // Kept for a retry, because `takeArrival` removes the tokens from the URL.
  const arrival = useRef<Arrival>(undefined);
  const [state, setState] = useState<'busy' | 'failed' | 'retrying'>('busy');
  const finish = useCallback(
    async (from: Arrival) => {
      const move = await finishSignIn(from);
      if (!move) return setState('failed');
      setTimeout(() => {
        // If the user has opened another page meanwhile, the callback page does not redirect.
        if (location.pathname === '/auth/callback') navigate(move.to, { replace: true });
      }, move.afterMs);
    },
    [navigate],
  );
  useEffect(() => {
    if (arrival.current) return;
    arrival.current = takeArrival();
    void finish(arrival.current);
  }, [finish]);

  const retry = () => {
    setState('retrying');
    if (arrival.current) void finish(arrival.current);
  };
  const words = t('Signing you in');
  return (
    <CentredPage title={words}>
      <h1 className="sr-only">{words}</h1>
      {state === 'busy' ? (
        <StatusLine>{words}</StatusLine>
      ) : (
        <LoadError words={t('We could not load your account.')} busy={state === 'retrying'} onRetry={retry} />
      )}
    </CentredPage>
  );
}

const HOME: Move = { to: '/', afterMs: 0 };

/** Reads the sign-in data from the URL. Then removes the data, because tokens must not stay in the browser history. */
function takeArrival(): Arrival {
  const arrival = readArrival(location);
  history.replaceState(history.state, '', location.pathname);
  return arrival;
}

/**
 * Completes the sign-in. Returns the next page and the delay before the redirect. Shows a toast after an error, and
 * returns the home page. Returns null if the server could not be reached; the caller may then try again.
 */
async function finishSignIn(arrival: Arrival): Promise<Move | null> {
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
      : fail(wordsOf(error, t('The sign-in did not succeed. Please try again.')));
  }
}

function fail(words: string): Move {
  showError(t('Authentication Error'), words);
  return HOME;
}

async function settle(decision: Decision): Promise<Move> {
  if ('to' in decision) return decision;
  if ('ifMember' in decision) {
    // Home opens without a delay and shows the products. They load now, so that learners do not wait longer for them.
    if (decision.otherwise === HOME) prefetchProducts();
    return (await fetchIsMember()) ? decision.ifMember : decision.otherwise;
  }
  if (!(await getAccessToken())) return decision.onError;
  try {
    const { user } = await call(checkAdmin);
    return user.user_role === 'admin' ? decision.ifAdmin : decision.ifNot;
  } catch (error) {
    return error instanceof ApiError && error.status === 403 ? decision.ifNot : decision.onError;
  }
}

function prefetchProducts(): void {
  const session = getSessionState();
  if (session.status !== 'signed-in') return;
  void queryClient.prefetchQuery(queryOf(listMyProducts, {}, session.userId));
}

// Shows the toast for a role, and returns the redirect. A toast does not survive a page load, so the redirects use the
// router.
const OUTCOMES = {
  nobody: () => fail(t('Failed to retrieve user information')).to,
  admin: () => {
    showToast({ title: t('Welcome'), description: t('You have successfully logged in as administrator') });
    return '/admin';
  },
  learner: () => {
    showError(t('Access restricted'));
    return '/admin/access-denied';
  },
};

/** Redirects a user who has signed in with Google to the page for the role (R-GH-01 to R-GH-07). */
export function GoogleHandlerPage() {
  const who = useWho();
  const [, navigate] = useLocation();
  const told = useRef(false);
  useEffect(() => {
    if (!who || told.current) return;
    told.current = true;
    navigate(OUTCOMES[who](), { replace: true });
  }, [who, navigate]);
  return (
    <CentredPage title={t('Checking your access')}>
      <h1 className="sr-only">{t('Checking your access')}</h1>
      <StatusLine>{t('Checking your access...')}</StatusLine>
    </CentredPage>
  );
}

/** Returns the role of the current user, or `nobody` if no user is signed in. Returns null until the user is loaded. */
function useWho(): keyof typeof OUTCOMES | null {
  const { status } = useSession();
  const { data: user, isPending } = useCurrentUser();
  if (status === 'signed-out') return 'nobody';
  if (status === 'loading' || isPending) return null;
  if (!user) return 'nobody';
  return user.user_role === 'admin' ? 'admin' : 'learner';
}

/** Delay before a redirect to any page other than home (R-CB-12). */
const REDIRECT_DELAY_MS = 500;

const ADMIN_HOME = '/admin';
/** Input of `decideSignIn`. The addresses in it have not been validated. */
export type SignInFacts = {
  hasSession: boolean;
  /** `document.referrer`. */
  referrer: string;
  /** The stored return path: a full URL or a path. */
  returnUrl: string | null;
  /** The query parameter `next` of the callback's address. */
  next: string | null;
  lastProduct: string | null;
  /** The portal's origin, for example `https://portal.example`. */
  origin: string;
};

/** A redirect to `to`, a path of this site, after `afterMs` milliseconds. */
type Move = { to: string; afterMs: number };

/**
 * One redirect; or one for each possible result of the administrator check; or one for members of the team, whom the
 * reply about the current user names. The header needs this reply too, and it is no 403 for learners.
 */
type Decision = Move | { ifAdmin: Move; ifNot: Move; onError: Move } | { ifMember: Move; otherwise: Move };

/** Returns the redirect that follows a sign-in (R-CB-03 to R-CB-13, R-DAY-50, A-15 to A-20). */
export function decideSignIn(facts: SignInFacts): Decision {
  if (!facts.hasSession) return HOME;

  const back = ownPath(facts.returnUrl, facts.origin) ?? ownPath(facts.next, facts.origin);
  // The requirements define the check of the referrer. In practice, the referrer is Google or the sign-in service, and
  // only the return path leads to the admin pages.
  if (facts.referrer.includes('/admin-login') || back === ADMIN_HOME) {
    return { ifAdmin: later(ADMIN_HOME), ifNot: later('/admin/access-denied'), onError: HOME };
  }
  if (back && !isHome(back)) return later(back);
  // For members of the team, home and the last visited product are no saved path (N-230).
  return { ifMember: later(ADMIN_HOME), otherwise: withoutPath(back, facts.lastProduct) };
}

/** Returns the redirect of a learner; `back` is home, or null if no path is saved. */
function withoutPath(back: string | null, lastProduct: string | null): Move {
  if (back) return later(back);
  return lastProduct ? later(`/product/${encodeURIComponent(lastProduct)}`) : HOME;
}

function isHome(path: string): boolean {
  return /^\/([?#]|$)/.test(path);
}

function later(to: string): Move {
  return { to, afterMs: REDIRECT_DELAY_MS };
}
