// What this browser remembers about sign-ins, and the only file that touches the browser's storage.
import type { Session } from '@supabase/auth-js';

/** Where auth-js keeps the session. */
export const SESSION_KEY = 'portal-auth';

// R-KEY-01 to R-KEY-05; the last is read by the page that a mailed link opens.
const RETURN_URL = 'authRedirectPath';
const RETURN_PATHNAME = 'authRedirectPathname';
const PENDING_PRODUCT = 'pendingProductId';
const PENDING_REDEMPTION = 'pendingAutoRedemption';
const LAST_PRODUCT = 'lastVisitedProduct';
const REQUEST = 'signInRequest';
const TYPED = 'typed';

/** A sign-in as it is about to leave the page. */
export type ReturnPath = {
  /** Full address to come back to. */
  returnUrl: string;
  pathname: string;
  /** The product in context, to be redeemed on return (R-LOGIN-16). */
  productId: string | null;
  /** Random marker that proves to the mailed link's page that this browser asked for it. */
  request: string | null;
};

/** What a sign-in may find when it comes back. */
export type Remembered = { returnUrl: string | null; lastProduct: string | null };

/** True when a session is stored here, alive or not. */
export function hasStoredSession(): boolean {
  return get(SESSION_KEY) !== null;
}

/** The stored session, alive or not; null without one. */
export function readStoredSession(): Session | null {
  try {
    const stored = JSON.parse(get(SESSION_KEY) ?? 'null') as Partial<Session> | null;
    return stored?.user && stored.access_token ? (stored as Session) : null;
  } catch {
    return null;
  }
}

/** Forgets the stored session. */
export function forgetStoredSession(): void {
  set(SESSION_KEY, null);
}

/** A new marker of a request. */
export function makeRequest(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** Remembers where a sign-in started (R-LOGIN-15, R-LOGIN-16). */
export function saveReturnPath({ returnUrl, pathname, productId, request }: ReturnPath): void {
  set(RETURN_URL, returnUrl);
  set(RETURN_PATHNAME, pathname);
  set(PENDING_PRODUCT, productId);
  set(PENDING_REDEMPTION, productId && 'true');
  if (request) set(REQUEST, request);
}

/** Reads what `saveReturnPath` and the product page left. */
export function readRemembered(): Remembered {
  return { returnUrl: get(RETURN_URL), lastProduct: get(LAST_PRODUCT) };
}

/** Forgets the return path (R-CB-07, A-18) and the request that is answered now. */
export function forgetReturnPath(): void {
  set(RETURN_URL, null);
  set(RETURN_PATHNAME, null);
  set(REQUEST, null);
}

/** Forgets the product that waited for this sign-in. */
export function forgetPendingRedemption(): void {
  set(PENDING_PRODUCT, null);
  set(PENDING_REDEMPTION, null);
}

/** Remembers the product page last seen. */
export function rememberProduct(productId: string): void {
  set(LAST_PRODUCT, productId);
}

/** Forgets a product that is gone, if it is the one remembered. */
export function forgetProduct(productId: string): void {
  if (get(LAST_PRODUCT) === productId) set(LAST_PRODUCT, null);
}

let leaves = false;
// The sign-in client tells the other tabs of the end by a channel as well: of two channels the messages keep their order.
let others: BroadcastChannel | undefined;

/**
 * True when the person has asked for the end of the session, here or in another tab. `begins`: another session begins; one that
 * lives may be announced again between the logout and its end.
 */
export function isLeaving(begins: boolean): boolean {
  leaves &&= !begins;
  return leaves;
}

/** Forgets what was typed, here and in the other tabs, because the person ends the session. */
export function announceLeaving(): void {
  leaveHere();
  others?.postMessage(null);
}

/** What this tab keeps of a form whose session ended; null without any. */
export function readTypedText(): string | null {
  return get(TYPED, 'sessionStorage');
}

/** Keeps that, in the place of what was kept before. */
export function keepTypedText(text: string | null): void {
  set(TYPED, text, 'sessionStorage');
}

function leaveHere(): void {
  leaves = true;
  keepTypedText(null);
}

/** Calls `listener` when another tab has stored or removed the session, and hears when the person ends it there. */
export function watchStoredSession(listener: () => void): void {
  window.addEventListener('storage', ({ key }) => {
    if (key === SESSION_KEY) listener();
  });
  try {
    others = new BroadcastChannel('leaving');
    others.onmessage = leaveHere;
  } catch {
    // A browser that refuses storage refuses channels too.
  }
}

type StorageName = 'localStorage' | 'sessionStorage';

// A browser that refuses storage still signs in for as long as the page lives.
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
    // See above.
  }
}
