// Where a person goes after signing in: one pure function over everything that may decide it.

/** R-CB-12: steps 2 to 4 of the callback wait this long. */
const REDIRECT_DELAY_MS = 500;

const ADMIN_HOME = '/admin';
const CALLBACK = '/auth/callback';

/** Everything that decides. Addresses are as they were found, not yet trusted. */
export type SignInFacts = {
  hasSession: boolean;
  /** `document.referrer`. */
  referrer: string;
  /** The stored return path: a full address or a path. */
  returnUrl: string | null;
  /** `next` of the link's own address. */
  next: string | null;
  lastProduct: string | null;
  /** The own origin, such as `https://portal.example`. */
  origin: string;
};

/** Go to `to`, a path of this site, after `afterMs`. */
export type Move = { to: string; afterMs: number };

/** A move, or moves that depend on whether the person is an administrator. */
export type Decision = Move | { ifAdmin: Move; ifNot: Move; onError: Move };

/** Decides where a sign-in ends (R-CB-03 to R-CB-13, A-15 to A-20). */
export function decideSignIn(facts: SignInFacts): Decision {
  const home: Move = { to: '/', afterMs: 0 };
  if (!facts.hasSession) return home;

  const back = ownPath(facts.returnUrl, facts.origin) ?? ownPath(facts.next, facts.origin);
  // The referrer never shows after Google or a mail; the return path is what tells in practice.
  if (facts.referrer.includes('/admin-login') || back === ADMIN_HOME) {
    return { ifAdmin: later(ADMIN_HOME), ifNot: later('/admin/access-denied'), onError: home };
  }
  if (back) return later(back);
  if (facts.lastProduct) return later(`/product/${encodeURIComponent(facts.lastProduct)}`);
  return home;
}

/**
 * An address as a path of this site, with query and fragment; null when it is missing, malformed, of another origin
 * (open redirect, A-17) or the callback itself.
 */
export function ownPath(address: string | null, origin: string): string | null {
  if (!address) return null;
  const url = parseUrl(address, origin);
  if (!url || url.origin !== origin || url.pathname === CALLBACK) return null;
  return url.pathname.replace(/^\/+/, '/') + url.search + url.hash;
}

// URL.parse came to browsers in 2024 only.
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
