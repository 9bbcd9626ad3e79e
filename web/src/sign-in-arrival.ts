// Reads the session, an error and the return path from the address of /auth/callback.
import { say, sayServed } from './words/say.ts';

/** The tokens that a mailed link or a Google sign-in puts into the fragment of the URL (R-CB-01). */
export type Tokens = { access_token: string; refresh_token: string };

export type Arrival = {
  tokens: Tokens | null;
  /** Message of the sign-in service, for example for an expired link; null if there was no error. */
  error: string | null;
  /** The return path in the address, which has not been validated. */
  next: string | null;
};

// Maximum length of an error text from the address. An attacker can send a user a link with any error text. This limit
// is too short for most fraudulent texts; the messages of the sign-in service are shorter.
const MAX_WORDS = 160;

/** Parses the address to which the sign-in service redirected the browser. */
export function readArrival(address: { hash: string; search: string }): Arrival {
  const fragment = new URLSearchParams(address.hash.replace(/^#/, ''));
  const query = new URLSearchParams(address.search);
  const access_token = fragment.get('access_token');
  const refresh_token = fragment.get('refresh_token');
  const refusal = [fragment, query].find((part) => part.has('error') || part.has('error_code'));
  const description = refusal?.get('error_description')?.slice(0, MAX_WORDS);
  return {
    tokens: access_token && refresh_token ? { access_token, refresh_token } : null,
    error: refusal ? explain(description) : null,
    next: query.get('next'),
  };
}

function explain(description: string | undefined): string {
  return description
    ? sayServed(description)
    : say('The sign-in did not succeed. Please request a new link.');
}

/**
 * Removes tokens from the address if the page does not use them. The tokens then do not stay in the browser history.
 */
export function dropStrayTokens(): void {
  if (!location.hash.includes('_token=')) return;
  history.replaceState(history.state, '', location.pathname + location.search);
}
