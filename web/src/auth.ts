// The session: one store fed by the authentication client, and the only other caller of fetch.
// The client is loaded when it is first needed, which on a visitor's page is never.
import type { AuthChangeEvent, GoTrueClient, Session } from '@supabase/auth-js';
import { signInService } from './brand.ts';
import { isFresh, LOADING, type SessionState, stateAfter } from './session-state.ts';
import { dropStrayTokens, type Tokens } from './sign-in-arrival.ts';
import { ownPath } from './sign-in-decision.ts';
import {
  announceLeaving,
  forgetReturnPath,
  forgetStoredSession,
  hasStoredSession,
  isLeaving,
  makeRequest,
  readStoredSession,
  SESSION_KEY,
  saveReturnPath,
  watchStoredSession,
} from './sign-in-path.ts';
import { isUnreachable, Unreachable } from './unreachable.ts';
import { say } from './words/say.ts';

/** Where a sign-in comes back to, and the product that is redeemed then. */
export type WayBack = { productId?: string | null; returnUrl?: string };

/** How long people wait for a service that does not answer. */
const PATIENCE_MS = 3000;
const RETRY_PAUSES_MS = [400, 1200];

type Listener = (event: AuthChangeEvent | 'START') => void;

let state = LOADING;
let announced: Session | null = null;
let client: Promise<GoTrueClient> | undefined;
// Rejects when the client should have been ready.
let late: Promise<never> | undefined;
let isReady = false;
let changesAccount = false;
const listeners = new Set<Listener>();

/** The session as it is now; the same object until it changes. */
export function getSessionState(): SessionState {
  return state;
}

/** Calls `listener` at every event of the session; answers how to stop that. */
export function subscribeToSession(listener: Listener): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Looks at the stored session; called once, when the page starts. */
export async function startSession(): Promise<void> {
  watchStoredSession(() => void loadClient());
  const arrives = location.pathname === '/auth/callback' && location.hash !== '';
  if (!arrives) dropStrayTokens();
  if (!hasStoredSession() && !arrives) return publish('START', null);
  // The calls of the page begin before the client is here.
  const stored = arrives ? null : readStoredSession();
  if (isFresh(stored, Date.now())) publish('START', stored);
  // The client may take half a minute to find out that it cannot renew an old token.
  await readyClient().catch(() => {
    if (state.status === 'loading') publish('START', readStoredSession());
  });
}

/**
 * A live access token, renewed when it is about to expire; null when nobody is signed in (R-HTTP-02, R-HTTP-03).
 * Throws when it cannot be renewed now.
 */
export async function getAccessToken(): Promise<string | null> {
  if (!client && !hasStoredSession()) return null;
  const stored = readStoredSession();
  if (!isReady && isFresh(stored, Date.now())) return stored.access_token;
  const auth = await readyClient();
  const { data, error } = await auth.getSession();
  if (isUnreachable(error)) throw error;
  // Another tab's sign-in is announced before its storage can be read here.
  return data.session?.access_token ?? announced?.access_token ?? null;
}

/** A new access token after the server refused the old one. Null when there is none; the session then has ended. */
export async function renewAccessToken(): Promise<string | null> {
  const { isAuthRefreshDiscardedError, isAuthRetryableFetchError } = await import('@supabase/auth-js');
  const { data, error } = await (await loadClient()).refreshSession();
  if (data.session) return data.session.access_token;
  // Another tab was faster: its session is ours.
  if (isAuthRefreshDiscardedError(error)) return getAccessToken();
  if (!isAuthRetryableFetchError(error)) await dropSession();
  return null;
}

/** Ends the session of this browser, at the service too. False when that did not answer. */
export async function endSession(): Promise<boolean> {
  const { error } = await (await readyClient()).signOut({ scope: 'local' });
  return !isUnreachable(error);
}

/** As `endSession`, for somebody who has another account: a provider then asks which. */
export async function changeAccount(): Promise<void> {
  changesAccount = true;
  announceLeaving();
  await endSession();
}

/** Forgets a session that the service has ended: it need not be told. */
async function dropSession(): Promise<void> {
  forgetStoredSession();
  await endSession();
}

/** Signs out here and reloads the page (R-HDR-05, R-HDR-06). */
export async function logOut(): Promise<void> {
  announceLeaving();
  const isAnswered = await endSession().catch(forgetStoredSession);
  publish('SIGNED_OUT', null);
  // Offline, a reload would end on the browser's own error page; but a portal on this very machine still answers.
  if (isAnswered || navigator.onLine) location.reload();
}

/**
 * Mails a sign-in link that leads back to `returnUrl` (R-LOGIN-11, R-LOGIN-20). The link's page goes on by itself only
 * in the browser that holds the random `request`. Throws the service's error.
 */
export async function sendMagicLink(email: string, wayBack: WayBack = {}): Promise<void> {
  const request = makeRequest();
  const returnUrl = savePath(wayBack, request);
  const auth = await loadClient();
  const options = { emailRedirectTo: callbackUrl(returnUrl, request), shouldCreateUser: true };
  const { error } = await auth.signInWithOtp({ email, options });
  if (error) throw error;
}

/** Signs in with the code of the mail, on this page. Throws the service's error. */
export async function signInWithCode(email: string, code: string): Promise<void> {
  const auth = await loadClient();
  const { error } = await auth.verifyOtp({ email, token: code, type: 'email' });
  if (error) throw error;
  // The person is where they would have come back to.
  forgetReturnPath();
}

/** Leaves for Google and comes back (R-LOGIN-18, R-LOGIN-19). Throws when it cannot be started. */
export async function signInWithGoogle(wayBack: WayBack = {}): Promise<void> {
  const returnUrl = savePath(wayBack, null);
  const auth = await loadClient();
  const options = {
    redirectTo: callbackUrl(returnUrl, null),
    ...(changesAccount && { queryParams: { prompt: 'select_account' } }),
  };
  const { error } = await auth.signInWithOAuth({ provider: 'google', options });
  if (error) throw error;
}

/**
 * Takes over the session that came in a fragment, or the stored one; answers whether there is one. Throws when refused,
 * and an error that `isUnreachable` when it may be tried again.
 */
export async function arriveWith(tokens: Tokens | null): Promise<boolean> {
  const auth = await loadClient();
  if (!tokens) return (await getAccessToken()) !== null;
  // Asked by hand first: the client wipes the session it already has when the pair it is given is stale.
  if (!(await isAccepted(tokens.access_token))) {
    throw new Error(say('This sign-in link is no longer valid. Please request a new one.'));
  }
  const { error } = await auth.setSession(tokens);
  if (error) throw error;
  return true;
}

// Only a refusal is an answer; everything else is asked again.
async function isAccepted(accessToken: string): Promise<boolean> {
  const { url, headers: own } = describeService();
  const headers = { ...own, Authorization: `Bearer ${accessToken}` };
  for (const pauseMs of [...RETRY_PAUSES_MS, null]) {
    const answer = await fetch(`${url}/user`, { headers }).catch(() => null);
    if (answer?.ok) return true;
    if (answer?.status === 401 || answer?.status === 403) return false;
    if (pauseMs !== null) await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
  throw new Unreachable('the sign-in service does not answer');
}

function savePath({ productId = null, returnUrl = location.href }: WayBack, request: string | null): string {
  saveReturnPath({ returnUrl, pathname: location.pathname, productId, request });
  return returnUrl;
}

/** The address of the callback with the way back in it, because a mail is often opened in another browser. */
function callbackUrl(returnUrl: string, request: string | null): string {
  const url = new URL('/auth/callback', location.origin);
  const next = ownPath(returnUrl, location.origin);
  if (next) url.searchParams.set('next', next);
  if (request) url.searchParams.set('request', request);
  return url.href;
}

function loadClient(): Promise<GoTrueClient> {
  if (!client) {
    client = openClient();
    late = rejectLate();
    late.catch(() => undefined);
  }
  return client;
}

/** The client once it knows its session. Throws while that takes longer than people wait; it goes on by itself. */
function readyClient(): Promise<GoTrueClient> {
  const opening = loadClient();
  return Promise.race([opening, late ?? opening]);
}

function rejectLate(): Promise<never> {
  return new Promise((_resolve, reject) => {
    setTimeout(() => reject(new Unreachable('the session cannot be renewed')), PATIENCE_MS);
  });
}

function describeService(): { url: string; headers: Record<string, string> } {
  const { url, anon_key } = signInService;
  return { url: new URL(url, location.origin).href, headers: anon_key ? { apikey: anon_key } : {} };
}

async function openClient(): Promise<GoTrueClient> {
  try {
    const { GoTrueClient } = await import('@supabase/auth-js');
    const auth = new GoTrueClient({
      ...describeService(),
      storageKey: SESSION_KEY,
      flowType: 'implicit',
      persistSession: true,
      autoRefreshToken: true,
      // It would leave tokens in the history and take a fragment on any page.
      detectSessionInUrl: false,
    });
    await new Promise<void>((resolve) => {
      auth.onAuthStateChange((event, session) => {
        // A session that could not be renewed is announced as none, but stays stored.
        publish(event, event === 'INITIAL_SESSION' ? (session ?? readStoredSession()) : session);
        if (event === 'INITIAL_SESSION') {
          isReady = true;
          resolve();
        }
      });
    });
    return auth;
  } catch (cause) {
    client = undefined;
    throw cause;
  }
}

function publish(event: AuthChangeEvent | 'START', session: Session | null): void {
  announced = session;
  const next = stateAfter(state, session, isLeaving(session !== null && state.status !== 'signed-in'));
  if (JSON.stringify(next) !== JSON.stringify(state)) state = next;
  for (const listener of listeners) listener(event);
}
