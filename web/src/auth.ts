// The session: one store fed by the authentication client, and the only other caller of fetch.
// The client is loaded when it is first needed, which on a visitor's page is never.
import type { AuthChangeEvent, GoTrueClient, Session } from '@supabase/auth-js';
import { signInService } from './brand.ts';
import type { Tokens } from './sign-in-arrival.ts';
import { ownPath } from './sign-in-decision.ts';
import { hasStoredSession, rememberDeparture, SESSION_KEY, watchStoredSession } from './sign-in-path.ts';

/** Who is here. `loading` until the stored session was looked at. */
export type SessionState =
  | { status: 'loading' }
  | { status: 'signed-out' }
  | { status: 'signed-in'; userId: string; email: string };

type Listener = (event: AuthChangeEvent | 'START') => void;

let state: SessionState = { status: 'loading' };
let announced: Session | null = null;
let client: Promise<GoTrueClient> | undefined;
const listeners = new Set<Listener>();
const serviceUrl = new URL(signInService.url, location.origin).href;
const serviceHeaders: Record<string, string> = signInService.anon_key
  ? { apikey: signInService.anon_key }
  : {};

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
  if (hasStoredSession() || arrives) {
    await loadClient().catch(() => publish('START', null));
  } else {
    publish('START', null);
  }
}

/** A live access token, renewed when it is about to expire; null when nobody is signed in (R-HTTP-02, R-HTTP-03). */
export async function getAccessToken(): Promise<string | null> {
  if (!client && !hasStoredSession()) return null;
  const auth = await loadClient();
  const { data } = await auth.getSession();
  // Another tab's sign-in is announced before its storage can be read here.
  return data.session?.access_token ?? announced?.access_token ?? null;
}

/** A new access token after the server refused the old one. Null when there is none; the session then has ended. */
export async function renewAccessToken(): Promise<string | null> {
  const { isAuthRefreshDiscardedError, isAuthRetryableFetchError } = await import('@supabase/auth-js');
  const auth = await loadClient();
  const { data, error } = await auth.refreshSession();
  if (data.session) return data.session.access_token;
  // Another tab was faster: its session is ours.
  if (isAuthRefreshDiscardedError(error)) return getAccessToken();
  if (!isAuthRetryableFetchError(error)) await endSession();
  return null;
}

/** Forgets the session in this browser. */
export async function endSession(): Promise<void> {
  const auth = await loadClient();
  await auth.signOut({ scope: 'local' });
}

/** Signs out here and reloads the page (R-HDR-05, R-HDR-06). */
export async function logOut(): Promise<void> {
  await endSession().catch(() => undefined);
  location.reload();
}

/**
 * Mails a sign-in link that leads back to `returnUrl` (R-LOGIN-11, R-LOGIN-20). The link's page goes on by itself only
 * in the browser that holds the random `request`. Throws the service's error.
 */
export async function sendMagicLink(email: string, returnUrl = location.href): Promise<void> {
  const request = randomMarker();
  depart(returnUrl, request);
  const auth = await loadClient();
  const options = { emailRedirectTo: callbackUrl(returnUrl, request), shouldCreateUser: true };
  const { error } = await auth.signInWithOtp({ email, options });
  if (error) throw error;
}

/** Leaves for Google and comes back to `returnUrl` (R-LOGIN-18, R-LOGIN-19). Throws when it cannot be started. */
export async function signInWithGoogle(returnUrl = location.href): Promise<void> {
  if (!signInService.google) throw new Error('');
  depart(returnUrl, null);
  const auth = await loadClient();
  const options = { redirectTo: callbackUrl(returnUrl, null) };
  const { error } = await auth.signInWithOAuth({ provider: 'google', options });
  if (error) throw error;
}

/** Takes over the session that came in a fragment, or the stored one; answers whether there is one. Throws when refused. */
export async function arriveWith(tokens: Tokens | null): Promise<boolean> {
  const auth = await loadClient();
  if (!tokens) return (await auth.getSession()).data.session !== null;
  // Asked by hand first: the client wipes the session it already has when the pair it is given is stale.
  const headers = { ...serviceHeaders, Authorization: `Bearer ${tokens.access_token}` };
  const answer = await fetch(`${serviceUrl}/user`, { headers });
  if (!answer.ok) throw new Error('This sign-in link is no longer valid. Please request a new one.');
  const { error } = await auth.setSession(tokens);
  if (error) throw error;
  return true;
}

function depart(returnUrl: string, request: string | null): void {
  const productId = /^\/product\/([^/]+)$/.exec(location.pathname)?.[1];
  rememberDeparture({
    returnUrl,
    pathname: location.pathname,
    productId: productId ? decodeURIComponent(productId) : null,
    request,
  });
}

/** The address of the callback with the way back in it, because a mail is often opened in another browser. */
function callbackUrl(returnUrl: string, request: string | null): string {
  const url = new URL('/auth/callback', location.origin);
  const next = ownPath(returnUrl, location.origin);
  if (next) url.searchParams.set('next', next);
  if (request) url.searchParams.set('request', request);
  return url.href;
}

function randomMarker(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) =>
    byte.toString(16).padStart(2, '0'),
  ).join('');
}

function loadClient(): Promise<GoTrueClient> {
  client ??= openClient();
  return client;
}

async function openClient(): Promise<GoTrueClient> {
  try {
    const { GoTrueClient } = await import('@supabase/auth-js');
    const auth = new GoTrueClient({
      url: serviceUrl,
      headers: serviceHeaders,
      storageKey: SESSION_KEY,
      flowType: 'implicit',
      persistSession: true,
      autoRefreshToken: true,
      // It would leave tokens in the history and take a fragment on any page.
      detectSessionInUrl: false,
    });
    await new Promise<void>((resolve) => {
      auth.onAuthStateChange((event, session) => {
        publish(event, session);
        if (event === 'INITIAL_SESSION') resolve();
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
  const next = stateOf(session);
  if (JSON.stringify(next) !== JSON.stringify(state)) state = next;
  for (const listener of listeners) listener(event);
}

function stateOf(session: Session | null): SessionState {
  if (!session) return { status: 'signed-out' };
  return { status: 'signed-in', userId: session.user.id, email: session.user.email ?? '' };
}
