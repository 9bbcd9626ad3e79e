// Stores the session, the return path of a sign-in, and typed form values. No other file uses localStorage or
// sessionStorage, except the staff page that keeps a choice (tell-choice.ts).
import type { Session } from '@supabase/auth-js';

/** Storage key under which auth-js keeps the session. */
export const SESSION_KEY = 'portal-auth';

// Storage keys (R-KEY-01 to R-KEY-05). The page that a mailed link opens also reads the value of REQUEST. TYPED is a
// key of sessionStorage; the other keys are in localStorage.
const RETURN_URL = 'authRedirectPath';
const RETURN_PATHNAME = 'authRedirectPathname';
const PENDING_PRODUCT = 'pendingProductId';
const PENDING_REDEMPTION = 'pendingAutoRedemption';
const LAST_PRODUCT = 'lastVisitedProduct';
const REQUEST = 'signInRequest';
const TYPED = 'typed';

/** Data that a sign-in stores before the user leaves the page. */
export type ReturnPath = {
  /** Full URL to return to. */
  returnUrl: string;
  pathname: string;
  /** Product to redeem after the sign-in (R-LOGIN-16). */
  productId: string | null;
  /** Random value. A mailed link opens a page, which checks by this value whether this browser requested the link. */
  request: string | null;
};

/** Stored data that decides which page opens after a sign-in. */
export type Remembered = { returnUrl: string | null; lastProduct: string | null };

/** Returns true if a session is stored. The session may have expired. */
export function hasStoredSession(): boolean {
  return get(SESSION_KEY) !== null;
}

/** Returns the stored session, or null if there is none. The session may have expired. */
export function readStoredSession(): Session | null {
  try {
    const stored = JSON.parse(get(SESSION_KEY) ?? 'null') as Partial<Session> | null;
    return stored?.user && stored.access_token ? (stored as Session) : null;
  } catch {
    return null;
  }
}

/** Removes the stored session. */
export function forgetStoredSession(): void {
  set(SESSION_KEY, null);
}

/** Returns a new random value for the field `request` of `ReturnPath`. */
export function makeRequest(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** Stores the page where a sign-in started, and the product to redeem (R-LOGIN-15, R-LOGIN-16). */
export function saveReturnPath({ returnUrl, pathname, productId, request }: ReturnPath): void {
  set(RETURN_URL, returnUrl);
  set(RETURN_PATHNAME, pathname);
  set(PENDING_PRODUCT, productId);
  set(PENDING_REDEMPTION, productId && 'true');
  if (request) set(REQUEST, request);
}

/** Reads the stored return path and the last visited product. */
export function readRemembered(): Remembered {
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

/** Stores the last visited product. */
export function rememberProduct(productId: string): void {
  set(LAST_PRODUCT, productId);
}

/**
 * Removes the last visited product if it is `productId`. The caller has found that this product no longer exists
 * (A-20).
 */
export function forgetProduct(productId: string): void {
  if (get(LAST_PRODUCT) === productId) set(LAST_PRODUCT, null);
}

let isLoggingOut = false;
// This channel informs other tabs about a logout. The sign-in client has its own channel, which reports the end of the
// session. Messages of both channels arrive in order. So other tabs know about the logout before the session ends.
let otherTabs: BroadcastChannel | undefined;

/**
 * Returns true if the user has chosen to log out, in this or another tab. Callers pass `begins` true when a new session
 * begins. The function then forgets an earlier logout and returns false. During a logout, the auth library may report
 * the old session once more; `begins` must then be false.
 */
export function isLeaving(begins: boolean): boolean {
  isLoggingOut &&= !begins;
  return isLoggingOut;
}

/**
 * Records a logout in this tab and informs the other tabs. Removes typed text, because the next user must not see it.
 */
export function announceLeaving(): void {
  noteLogout();
  otherTabs?.postMessage(null);
}

/** Returns the form values that were stored when the session ended, or null if none are stored. */
export function readTypedText(): string | null {
  return get(TYPED, 'sessionStorage');
}

/** Replaces the stored form values; null removes them. */
export function keepTypedText(text: string | null): void {
  set(TYPED, text, 'sessionStorage');
}

function noteLogout(): void {
  isLoggingOut = true;
  keepTypedText(null);
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
    // A browser that blocks storage blocks broadcast channels too. Then other tabs are not informed about a logout.
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
