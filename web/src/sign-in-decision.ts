// Decides which page opens after a sign-in. The decision is a pure function.

/** Delay before a redirect to any page other than home (R-CB-12). */
const REDIRECT_DELAY_MS = 500;

const ADMIN_HOME = '/admin';
const CALLBACK = '/auth/callback';

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
export type Move = { to: string; afterMs: number };

/** One redirect, or three: one for each possible result of the administrator check. */
export type Decision = Move | { ifAdmin: Move; ifNot: Move; onError: Move };

/** Returns the redirect that follows a sign-in (R-CB-03 to R-CB-13, A-15 to A-20). */
export function decideSignIn(facts: SignInFacts): Decision {
  const home: Move = { to: '/', afterMs: 0 };
  if (!facts.hasSession) return home;

  const back = ownPath(facts.returnUrl, facts.origin) ?? ownPath(facts.next, facts.origin);
  // The requirements define the check of the referrer. But after a sign-in, the browser comes from Google or the
  // sign-in service, so the referrer is never /admin-login. In practice, only the return path leads to the admin pages
  //
  if (facts.referrer.includes('/admin-login') || back === ADMIN_HOME) {
    return { ifAdmin: later(ADMIN_HOME), ifNot: later('/admin/access-denied'), onError: home };
  }
  if (back) return later(back);
  if (facts.lastProduct) return later(`/product/${encodeURIComponent(facts.lastProduct)}`);
  return home;
}

/**
 * Returns an address as a path of this site with query and fragment. Returns null if the address is missing, malformed,
 * of another origin (open redirect, A-17) or the callback itself.
 */
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

function later(to: string): Move {
  return { to, afterMs: REDIRECT_DELAY_MS };
}
