// What the address of /auth/callback brings: a session, an error, and the way back.
import { say, sayServed } from './words/say.ts';

/** The pair of tokens in the fragment of a mailed link or of a provider's answer (R-CB-01). */
export type Tokens = { access_token: string; refresh_token: string };

export type Arrival = {
  tokens: Tokens | null;
  /** Words of the service when it refused, such as an expired link; null when it did not. */
  error: string | null;
  /** The return path that travelled in the link; not yet trusted. */
  next: string | null;
};

// Anybody can write such an address: enough for the service's own words, too little for a stranger's story.
const MAX_WORDS = 160;

/** Reads the address that the authentication service sent the browser to. */
export function readArrival(address: { hash: string; search: string }): Arrival {
  const fragment = new URLSearchParams(address.hash.replace(/^#/, ''));
  const query = new URLSearchParams(address.search);
  const access_token = fragment.get('access_token');
  const refresh_token = fragment.get('refresh_token');
  const refusal = [fragment, query].find((part) => part.has('error') || part.has('error_code'));
  const said = refusal?.get('error_description')?.slice(0, MAX_WORDS);
  return {
    tokens: access_token && refresh_token ? { access_token, refresh_token } : null,
    error: refusal ? explain(said) : null,
    next: query.get('next'),
  };
}

function explain(said: string | undefined): string {
  return said ? sayServed(said) : say('The sign-in did not succeed. Please request a new link.');
}

/** On a page that takes no tokens: takes them out of the address, where they would only stay in the history. */
export function dropStrayTokens(): void {
  if (!location.hash.includes('_token=')) return;
  history.replaceState(history.state, '', location.pathname + location.search);
}
