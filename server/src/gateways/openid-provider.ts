// Client of an OpenID Connect provider such as Google. Builds the provider's sign-in address and verifies the response.

import * as oidc from 'openid-client';
import { isFresh } from './is-fresh.ts';

export type ProviderClient = {
  /** The address of the provider. The provider's discovery document must have the same address in `issuer`. */
  issuer: string;
  clientId: string;
  clientSecret: string;
  /** The address to which the provider redirects the browser after the sign-in. */
  redirectUri: string;
};

/**
 * Values that bind the provider's response to one sign-in. The response contains `state`, and the ID token contains
 * `nonce`. `verifier` is for PKCE (RFC 7636).
 */
export type ProviderChecks = { state: string; nonce: string; verifier: string };

/**
 * The user that the provider names. `sub` is the user's id at the provider. `email` may be another person's address
 * unless `emailVerified` is true.
 */
export type ProviderClaims = {
  iss: string;
  sub: string;
  email: unknown;
  emailVerified: boolean;
  name: unknown;
};

export type OpenidProvider = {
  /** Returns the address of the provider's sign-in page, with the parameters in `hints`. */
  writeAuthorizationUrl(checks: ProviderChecks, hints: Record<string, string>): Promise<URL>;
  /**
   * Exchanges the authorization code in the provider's response for claims about the user. `query` is the query string
   * with which the provider redirected the browser to `redirectUri`. Makes all checks that OpenID Connect requires.
   */
  readAnswer(query: string, checks: ProviderChecks): Promise<ProviderClaims>;
};

// The time-out is short, because a person who signs in waits for each call to the provider.
const TIMEOUT_SECONDS = 5;
const KEEP_MS = 3_600_000;
// Tolerated difference between the clocks of the provider and the portal.
const TOLERANCE_SECONDS = 30;

/** Opens the client without a call to the provider: the first sign-in loads the provider's discovery document. */
export function openOpenidProvider(client: ProviderClient, now: () => Date): OpenidProvider {
  const isPlain = client.issuer.startsWith('http:');
  let known: { metadata: Promise<oidc.ServerMetadata>; untilMs: number } | null = null;
  let keys: ReturnType<typeof oidc.getJwksCache>;

  async function discover(): Promise<oidc.ServerMetadata> {
    const found = await oidc.discovery(new URL(client.issuer), client.clientId, undefined, undefined, {
      timeout: TIMEOUT_SECONDS,
      execute: isPlain ? [oidc.allowInsecureRequests] : [],
    });
    return found.serverMetadata();
  }

  function findMetadata(): Promise<oidc.ServerMetadata> {
    if (known !== null && isFresh(known.untilMs, now(), KEEP_MS)) return known.metadata;
    const asked = { metadata: discover(), untilMs: now().getTime() + KEEP_MS };
    known = asked;
    asked.metadata.catch(() => {
      if (known === asked) known = null;
    });
    return asked.metadata;
  }

  async function configure(): Promise<oidc.Configuration> {
    const metadata = await findMetadata();
    const settings = {
      [oidc.clockSkew]: Math.round((now().getTime() - Date.now()) / 1000),
      [oidc.clockTolerance]: TOLERANCE_SECONDS,
    };
    const byPost = metadata.token_endpoint_auth_methods_supported?.includes('client_secret_post');
    const proof = byPost ? oidc.ClientSecretPost : oidc.ClientSecretBasic;
    const config = new oidc.Configuration(metadata, client.clientId, settings, proof(client.clientSecret));
    config.timeout = TIMEOUT_SECONDS;
    if (isPlain) oidc.allowInsecureRequests(config);
    // Makes openid-client verify the signature of the ID token. OpenID Connect does not require this check if the
    // client fetches the ID token from the provider over TLS, as the portal does.
    oidc.enableNonRepudiationChecks(config);
    if (keys !== undefined) oidc.setJwksCache(config, keys);
    return config;
  }

  return {
    writeAuthorizationUrl: async ({ state, nonce, verifier }, hints) =>
      oidc.buildAuthorizationUrl(await configure(), {
        ...hints,
        redirect_uri: client.redirectUri,
        scope: 'openid email profile',
        state,
        nonce,
        code_challenge: await oidc.calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
      }),
    readAnswer: async (query, { state, nonce, verifier }) => {
      const config = await configure();
      const answer = new URL(client.redirectUri);
      answer.search = query;
      const tokens = await oidc.authorizationCodeGrant(config, answer, {
        expectedState: state,
        expectedNonce: nonce,
        pkceCodeVerifier: verifier,
        idTokenExpected: true,
      });
      keys = oidc.getJwksCache(config);
      return readClaims(config, tokens);
    },
  };
}

/** Returns a short description of an error for the log. The error itself may contain tokens, so it is not logged. */
export function describeProviderError(error: unknown): string {
  if (error instanceof oidc.AuthorizationResponseError || error instanceof oidc.ResponseBodyError) {
    return `${error.code} ${error.error}`;
  }
  if (error instanceof oidc.ClientError) return [error.code, error.message].filter(Boolean).join(': ');
  return error instanceof Error ? error.name : 'unknown';
}

/**
 * Returns the code (such as access_denied) and the description of the error with which the provider refused a sign-in.
 * Returns null for any other error.
 */
export function readProviderRefusal(error: unknown): { error: string; description: string } | null {
  if (!(error instanceof oidc.AuthorizationResponseError)) return null;
  return { error: error.error, description: error.error_description ?? '' };
}

async function readClaims(
  config: oidc.Configuration,
  tokens: Awaited<ReturnType<typeof oidc.authorizationCodeGrant>>,
): Promise<ProviderClaims> {
  const claims = tokens.claims();
  if (claims === undefined) throw new TypeError('The provider sent no ID token');
  const { iss, sub } = claims;
  // Some providers leave the e-mail address out of the ID token. Then the portal fetches it from the userinfo endpoint.
  const profile =
    claims.email === undefined && config.serverMetadata().userinfo_endpoint !== undefined
      ? await oidc.fetchUserInfo(config, tokens.access_token, sub)
      : claims;
  return {
    iss,
    sub,
    email: profile.email,
    emailVerified: profile.email_verified === true,
    name: profile.name,
  };
}
