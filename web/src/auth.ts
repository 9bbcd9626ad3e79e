// The session of this browser: its state, its tokens, and signing out; sign-in/form.tsx signs in. Only this file and
// api.ts call fetch.
// The sign-in client (auth-js) is loaded when it is first needed, so visitors never load it.
import type { AuthChangeEvent, GoTrueClient, Session } from '@supabase/auth-js';
import { signInService } from './settings.ts';
import {
  announceLeaving,
  dropStrayTokens,
  forgetStoredSession,
  hasStoredSession,
  isLeaving,
  readStoredSession,
  SESSION_KEY,
  type Tokens,
  watchStoredSession,
} from './sign-in/session.ts';
import { t } from './words/translate.ts';

/** The status is `loading` until the stored session has been checked. */
export type SessionState =
  | { status: 'loading' }
  /** `endedFor`: e-mail address of the user whose session has ended without a logout. */
  | { status: 'signed-out'; endedFor?: string }
  | { status: 'signed-in'; userId: string; email: string };

export const LOADING: SessionState = { status: 'loading' };
export const SIGNED_OUT: SessionState = { status: 'signed-out' };

/** A fresh token is valid for longer than this. auth-js renews a token in its last 90 seconds (`EXPIRY_MARGIN_MS`). */
const LEAST_LIFE_SECONDS = 120;

/** `session` is the current session or null. `isLogout` is true if the user has chosen to log out. */
export function stateAfter(before: SessionState, session: Session | null, isLogout: boolean): SessionState {
  if (session) return { status: 'signed-in', userId: session.user.id, email: session.user.email ?? '' };
  if (isLogout || before.status === 'loading') return SIGNED_OUT;
  return before.status === 'signed-in' ? { status: 'signed-out', endedFor: before.email } : before;
}

/** Returns true if the access token needs no renewal. */
export function isFresh(session: Session | null, nowMs: number): session is Session {
  return (session?.expires_at ?? 0) > nowMs / 1000 + LEAST_LIFE_SECONDS;
}

/** Time after which the sign-in service counts as unreachable. */
const PATIENCE_MS = 3000;
const RETRY_PAUSES_MS = [400, 1200];

type Listener = (event: AuthChangeEvent | 'START') => void;

let state: SessionState = LOADING;
let announced: Session | null = null;
let client: Promise<GoTrueClient> | undefined;
// A promise that rejects PATIENCE_MS after the client began to load.
let late: Promise<never> | undefined;
let isReady = false;
/** True if the next sign-in with Google lets the user choose another account. */
export let changesAccount = false;
const listeners = new Set<Listener>();

/** Returns the state of the session. The returned object stays the same until the state changes. */
export function getSessionState(): SessionState {
  return state;
}

/** Returns a function that removes the listener. */
export function subscribeToSession(listener: Listener): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Reads the stored session and publishes the session state. main.tsx calls this once. */
export async function startSession(): Promise<void> {
  watchStoredSession(() => void loadClient());
  const arrives = location.pathname === '/auth/callback' && location.hash !== '';
  if (!arrives) dropStrayTokens();
  if (!hasStoredSession() && !arrives) return publish('START', null);
  // Publishes a valid stored session before the auth library is loaded, so that the page can make its calls at once.
  const stored = arrives ? null : readStoredSession();
  if (isFresh(stored, Date.now())) publish('START', stored);
  // The library may try for half a minute to renew the session. The page waits no longer than PATIENCE_MS for that.
  await readyClient().catch(() => {
    if (state.status === 'loading') publish('START', readStoredSession());
  });
}

/**
 * Returns a valid access token, or null if nobody is signed in (R-HTTP-02, R-HTTP-03). Renews the token if it expires
 * soon. Throws if the token cannot be renewed now.
 */
export async function getAccessToken(): Promise<string | null> {
  if (!client && !hasStoredSession()) return null;
  const stored = readStoredSession();
  if (!isReady && isFresh(stored, Date.now())) return stored.access_token;
  const auth = await readyClient();
  const { data, error } = await auth.getSession();
  if (isUnreachable(error)) throw error;
  // After a sign-in in another tab, `announced` may contain the new session before the storage contains it.
  return data.session?.access_token ?? announced?.access_token ?? null;
}

/**
 * Renews the access token after the server has rejected it. Returns null if the renewal fails. A failed renewal ends
 * the session, except if the sign-in service could not be reached.
 */
export async function renewAccessToken(): Promise<string | null> {
  const { isAuthRefreshDiscardedError, isAuthRetryableFetchError } = await import('@supabase/auth-js');
  const { data, error } = await (await loadClient()).refreshSession();
  if (data.session) return data.session.access_token;
  // Another tab has already renewed the session, so this tab uses the stored session.
  if (isAuthRefreshDiscardedError(error)) return getAccessToken();
  if (!isAuthRetryableFetchError(error)) {
    // The service has ended the session already. With a cleared storage, the client sends no request to end it.
    forgetStoredSession();
    await endSession();
  }
  return null;
}

/** Ends the session in this browser and at the sign-in service. Returns false if the service did not respond. */
export async function endSession(): Promise<boolean> {
  const { error } = await (await readyClient()).signOut({ scope: 'local' });
  return !isUnreachable(error);
}

/** Ends the session. The next sign-in with Google then lets the user choose another account. */
export async function changeAccount(): Promise<void> {
  changesAccount = true;
  announceLeaving();
  await endSession();
}

/** Signs out in this browser and reloads the page (R-HDR-05, R-HDR-06). */
export async function logOut(): Promise<void> {
  announceLeaving();
  const isAnswered = await endSession().catch(forgetStoredSession);
  publish('SIGNED_OUT', null);
  // A reload without a connection would show the browser's own error page. A response of the sign-in service proves a
  // connection even if the browser is offline: the service may run on this machine.
  if (isAnswered || navigator.onLine) location.reload();
}

/**
 * Starts a session with `tokens` from the URL fragment, or with the stored session if `tokens` is null. Returns false if
 * no session is stored. Throws if the service rejects the tokens or cannot be reached; see `isUnreachable`.
 */
export async function arriveWith(tokens: Tokens | null): Promise<boolean> {
  const auth = await loadClient();
  if (!tokens) return (await getAccessToken()) !== null;
  // Checks the token first. With expired tokens, `setSession` would remove the existing session.
  if (!(await isAccepted(tokens.access_token))) {
    throw new Error(t('This sign-in link is no longer valid. Please request a new one.'));
  }
  const { error } = await auth.setSession(tokens);
  if (error) throw error;
  return true;
}

/** Returns false only if the service rejects the token. After other failures, tries again twice and then throws. */
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

/** Resolves to the client, which is loaded if it is not there yet. */
export function loadClient(): Promise<GoTrueClient> {
  if (!client) {
    client = openClient();
    late = new Promise((_resolve, reject) => {
      setTimeout(() => reject(new Unreachable('the session cannot be renewed')), PATIENCE_MS);
    });
    late.catch(() => undefined);
  }
  return client;
}

/** Resolves to the client when it has read the session. Rejects after PATIENCE_MS, but the client continues to load. */
function readyClient(): Promise<GoTrueClient> {
  const opening = loadClient();
  return Promise.race([opening, late ?? opening]);
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
      // With `true`, the client would accept tokens in the fragment of any page and leave them in the browser history.
      detectSessionInUrl: false,
    });
    await new Promise<void>((resolve) => {
      auth.onAuthStateChange((event, session) => {
        // The first event has no session if the token could not be renewed. The stored session is then published.
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

/** The sign-in service did not respond, or another server responded in its place. The request may be retried. */
class Unreachable extends Error {
  override name = 'Unreachable';
}

// The last two names are errors of auth-js: for a lost connection or a 5xx, and for a response that is not JSON.
const NAMES = ['Unreachable', 'AuthRetryableFetchError', 'AuthUnknownError'];

/** Returns true if the request may be retried: after a lost connection or an error of the service. */
export function isUnreachable(error: unknown): boolean {
  return error instanceof TypeError || (error instanceof Error && NAMES.includes(error.name));
}
