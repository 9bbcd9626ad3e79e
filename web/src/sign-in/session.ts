// Stores the session, the return path of a sign-in, and typed form values. Only this file uses localStorage and
// sessionStorage, and first-script.ts, which can import nothing.
import type { Session } from '@supabase/auth-js';
import { t, tServed } from '../words/translate.ts';

/** Storage key under which auth-js keeps the session. */
export const SESSION_KEY = 'portal-auth';

// Storage keys (R-KEY-01 to R-KEY-05). TYPED is in sessionStorage. The page of a mailed link also reads REQUEST.
const RETURN_URL = 'authRedirectPath';
const RETURN_PATHNAME = 'authRedirectPathname';
const PENDING_PRODUCT = 'pendingProductId';
const PENDING_REDEMPTION = 'pendingAutoRedemption';
const LAST_PRODUCT = 'lastVisitedProduct';
const REQUEST = 'signInRequest';
const TYPED = 'typed';

type ReturnPath = {
  /** Full URL to return to. */
  returnUrl: string;
  pathname: string;
  /** Product to redeem after the sign-in (R-LOGIN-16). */
  productId: string | null;
  /** Random value, by which the page of a mailed link checks whether this browser requested the link. */
  request: string | null;
};

/** The session may have expired. */
export function hasStoredSession(): boolean {
  return get(SESSION_KEY) !== null;
}

/** The session may have expired. */
export function readStoredSession(): Session | null {
  try {
    const stored = JSON.parse(get(SESSION_KEY) ?? 'null') as Partial<Session> | null;
    return stored?.user && stored.access_token ? (stored as Session) : null;
  } catch {
    return null;
  }
}

export function forgetStoredSession(): void {
  set(SESSION_KEY, null);
}

/** Stores the page where a sign-in started, and the product to redeem (R-LOGIN-15, R-LOGIN-16). */
export function saveReturnPath({ returnUrl, pathname, productId, request }: ReturnPath): void {
  set(RETURN_URL, returnUrl);
  set(RETURN_PATHNAME, pathname);
  set(PENDING_PRODUCT, productId);
  set(PENDING_REDEMPTION, productId && 'true');
  if (request) set(REQUEST, request);
}

export function readRemembered() {
  return { returnUrl: get(RETURN_URL), lastProduct: get(LAST_PRODUCT) };
}

/** Removes the return path (R-CB-07, A-18) and the random value of the sign-in request. */
export function forgetReturnPath(): void {
  set(RETURN_URL, null);
  set(RETURN_PATHNAME, null);
  set(REQUEST, null);
}

/** Removes the product that was to be redeemed after the sign-in. */
export function forgetPendingRedemption(): void {
  set(PENDING_PRODUCT, null);
  set(PENDING_REDEMPTION, null);
}

/** */
export function rememberProduct(productId: string): void {
  set(LAST_PRODUCT, productId);
}

/** Removes the last visited product if it is `productId`, which no longer exists. */
export function forgetProduct(productId: string): void {
  if (get(LAST_PRODUCT) === productId) set(LAST_PRODUCT, null);
}

let isLoggingOut = false;
// Informs other tabs about a logout, before the channel of the sign-in client reports the end of the session.
let otherTabs: BroadcastChannel | undefined;

/**
 * Returns true if the user has chosen to log out, in this or another tab. `begins` is true when a new session begins:
 * an earlier logout is then forgotten. It is false for the old session, which the auth library may report during a
 * logout.
 */
export function isLeaving(begins: boolean): boolean {
  isLoggingOut &&= !begins;
  return isLoggingOut;
}

/** Records a logout in this tab and informs the other tabs. */
export function announceLeaving(): void {
  noteLogout();
  otherTabs?.postMessage(null);
}

/** Removes typed text, because the next user must not see it. */
function noteLogout(): void {
  isLoggingOut = true;
  forgetTyped();
}

/** Calls `listener` when another tab stores or removes the session. Also records logouts of other tabs. */
export function watchStoredSession(listener: () => void): void {
  window.addEventListener('storage', ({ key }) => {
    if (key === SESSION_KEY) listener();
  });
  try {
    otherTabs = new BroadcastChannel('leaving');
    otherTabs.onmessage = noteLogout;
  } catch {
    // A browser that blocks storage blocks broadcast channels too.
  }
}

type StorageName = 'localStorage' | 'sessionStorage';

// Returns null if the browser blocks storage. The session is then only in memory and ends when the page is closed.
function get(key: string, storage: StorageName = 'localStorage'): string | null {
  try {
    return globalThis[storage].getItem(key);
  } catch {
    return null;
  }
}

function set(key: string, value: string | null, storage: StorageName = 'localStorage'): void {
  try {
    if (value === null) globalThis[storage].removeItem(key);
    else globalThis[storage].setItem(key, value);
  } catch {
    // Ignored: if the browser blocks storage, the value is not stored.
  }
}

/** The tokens that a mailed link or a Google sign-in puts into the fragment of the URL (R-CB-01). */
export type Tokens = { access_token: string; refresh_token: string };

export type Arrival = {
  tokens: Tokens | null;
  /** Message of the sign-in service, for example for an expired link; null if there was no error. */
  error: string | null;
  /** The return path in the address, which has not been validated. */
  next: string | null;
};

// Maximum length of an error text from the address, too short for most fraudulent texts: anybody can send such a link.
const MAX_WORDS = 160;

/** Parses the address of /auth/callback, to which the sign-in service redirected the browser. */
export function readArrival(address: { hash: string; search: string }): Arrival {
  const fragment = new URLSearchParams(address.hash.replace(/^#/, ''));
  const query = new URLSearchParams(address.search);
  const access_token = fragment.get('access_token');
  const refresh_token = fragment.get('refresh_token');
  const refusal = [fragment, query].find((part) => part.has('error') || part.has('error_code'));
  const description = refusal?.get('error_description')?.slice(0, MAX_WORDS);
  const unexplained = refusal ? t('The sign-in did not succeed. Please request a new link.') : null;
  return {
    tokens: access_token && refresh_token ? { access_token, refresh_token } : null,
    error: description ? tServed(description) : unexplained,
    next: query.get('next'),
  };
}

/** Removes tokens that the page does not use from the address, so that they do not stay in the browser history. */
export function dropStrayTokens(): void {
  if (!location.hash.includes('_token=')) return;
  history.replaceState(history.state, '', location.pathname + location.search);
}

const CALLBACK = '/auth/callback';

/** Returns a path of this site; null for another origin (open redirect, A-17), the callback, or no valid address. */
export function ownPath(address: string | null, origin: string): string | null {
  if (!address) return null;
  const url = parseUrl(address, origin);
  if (!url || url.origin !== origin || url.pathname === CALLBACK) return null;
  return url.pathname.replace(/^\/+/, '/') + url.search + url.hash;
}

// Does not use `URL.parse`, which browsers support only since 2024.
function parseUrl(address: string, origin: string): URL | null {
  try {
    return new URL(address, origin);
  } catch {
    return null;
  }
}

/** Form values are kept in this tab for one hour after the session has ended, and only for the same email address. */
const KEPT_MS = 3_600_000;

/** The fields of a form that the user has filled in. Each value can be written as JSON. */
export type Fields = [name: string, value: unknown][];
type Typed = { email: string; path: string; atMs: number; fields: Fields };

/** Stores the fields in place of those that were stored before. Does nothing if no field is filled in. */
export function keepTyped(typed: Typed): void {
  if (typed.fields.length > 0) set(TYPED, JSON.stringify(typed), 'sessionStorage');
}

/** Returns null if no fields of this address and form are stored, or if they are older than an hour. */
export function readTyped(email: string, path: string, nowMs: number): Fields | null {
  const typed = JSON.parse(get(TYPED, 'sessionStorage') ?? 'null') as Typed | null;
  const isKept = typed?.email === email && typed.path === path && nowMs - typed.atMs < KEPT_MS;
  return isKept ? typed.fields : null;
}

export function forgetTyped(): void {
  set(TYPED, null, 'sessionStorage');
}

/**
 * Choices of staff that this browser keeps: whether people get a mail (R-INV-01), rows of a list's page (R-DAY-13), and the
 * theme (R-DAY-60), which first-script.ts reads too.
 */
type Choice = 'tellByMail' | 'rowsOfPage' | 'theme';

/** Returns null if there is no choice yet. */
export const readChoice = (name: Choice): string | null => get(name);

export const keepChoice = (name: Choice, value: string | null): void => set(name, value);
