// An OpenID Connect provider, such as Google: where to send people, and what its answer says about them.
import * as oidc from 'openid-client';

export type ProviderClient = {
  /** The provider's address; its discovery document must name the same. */
  issuer: string;
  clientId: string;
  clientSecret: string;
  /** Where the provider sends people back to. */
  redirectUri: string;
};

/** What ties an answer to the question: `verifier` is PKCE's (RFC 7636), `nonce` comes back in the ID token. */
export type ProviderChecks = { state: string; nonce: string; verifier: string };

/** Whom the provider vouches for. Nothing here is trusted beyond `sub`, and `email` when it is verified. */
export type ProviderClaims = {
  iss: string;
  sub: string;
  email: unknown;
  emailVerified: boolean;
  name: unknown;
};

export type OpenidProvider = {
  /** The address at which a person signs in there. `hints` go along as they are. */
  writeAuthorizationUrl(checks: ProviderChecks, hints: Record<string, string>): Promise<URL>;
  /** Exchanges the code of an answer (its query string) for claims, checking all that the protocol says. */
  readAnswer(query: string, checks: ProviderChecks): Promise<ProviderClaims>;
};

// A person waits for each of them.
const TIMEOUT_SECONDS = 5;
const KEEP_MS = 3_600_000;
// How far its clock may be off.
const TOLERANCE_SECONDS = 30;

/** Asks the provider for nothing before somebody wants to sign in, and asks anew after a failure. */
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
    if (known !== null && now().getTime() < known.untilMs) return known.metadata;
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
    const proof = provesByPost(metadata) ? oidc.ClientSecretPost : oidc.ClientSecretBasic;
    const config = new oidc.Configuration(metadata, client.clientId, settings, proof(client.clientSecret));
    config.timeout = TIMEOUT_SECONDS;
    if (isPlain) oidc.allowInsecureRequests(config);
    // The signature too: plain TLS to the token endpoint would do for the protocol, not for us.
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

/** What went wrong in a word or two, fit for a log: errors of the library carry tokens. */
export function describeProviderFault(error: unknown): string {
  if (error instanceof oidc.AuthorizationResponseError || error instanceof oidc.ResponseBodyError) {
    return `${error.code} ${error.error}`;
  }
  if (error instanceof oidc.ClientError) return [error.code, error.message].filter(Boolean).join(': ');
  return error instanceof Error ? error.name : 'unknown';
}

/** The provider's own refusal, such as access_denied; null when the fault is another. */
export function readProviderRefusal(error: unknown): { error: string; description: string } | null {
  if (!(error instanceof oidc.AuthorizationResponseError)) return null;
  return { error: error.error, description: error.error_description ?? '' };
}

function provesByPost({ token_endpoint_auth_methods_supported: methods }: oidc.ServerMetadata): boolean {
  return methods?.includes('client_secret_post') ?? false;
}

async function readClaims(
  config: oidc.Configuration,
  tokens: Awaited<ReturnType<typeof oidc.authorizationCodeGrant>>,
): Promise<ProviderClaims> {
  const claims = tokens.claims();
  if (claims === undefined) throw new TypeError('The provider sent no ID token');
  const { iss, sub } = claims;
  // Providers that keep to the letter tell the address only when asked for it.
  const told =
    claims.email === undefined && config.serverMetadata().userinfo_endpoint !== undefined
      ? await oidc.fetchUserInfo(config, tokens.access_token, sub)
      : claims;
  return { iss, sub, email: told.email, emailVerified: told.email_verified === true, name: told.name };
}
