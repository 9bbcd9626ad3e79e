// Runs a real OpenID Connect provider on a loopback port. Tests use this provider instead of Google. The provider has a
// sign-in page and can simulate errors.
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { decodeJwt, exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose';
import { interactionPolicy, Provider } from 'oidc-provider';
import { findFreePort } from './postgres.ts';

export const CLIENT = { clientId: 'portal', clientSecret: 'a-secret-of-the-portal' };

/** An account at the provider. `sub` is the permanent id of the account; the e-mail address may change. */
export type Account = { sub: string; email?: string; email_verified?: unknown; name?: string };

/** Errors that the provider simulates. A test that sets one of these fields must reset it before the test ends. */
export type Faults = {
  /** Changes the claims of each ID token, before the provider signs the token with its own key. Null: no change. */
  changeClaims: ((claims: JWTPayload) => JWTPayload) | null;
  /** If true, the provider signs ID tokens with a key that is not its own. */
  forgeSignature: boolean;
  /** Paths at which the provider never responds. */
  silentPaths: string[];
};

export type TestProvider = Awaited<ReturnType<typeof openTestProvider>>;

/**
 * Starts the provider. `redirectUri` is the address of the portal's callback. With `atTheLetter`, the provider follows
 * the OpenID Connect specification strictly, and so differs from Google in two ways. Its ID token contains no e-mail
 * address, so the portal must request the address separately. The provider accepts only HTTP Basic for the
 * authentication of the portal.
 */
export async function openTestProvider({
  redirectUri,
  atTheLetter = false,
  host = '127.0.0.1',
  port,
}: {
  redirectUri: string;
  atTheLetter?: boolean;
  host?: '127.0.0.1' | 'localhost';
  port?: number;
}) {
  const ownPort = port ?? (await findFreePort());
  const issuer = `http://${host}:${ownPort}`;
  const accounts = new Map<string, Account>();
  const faults: Faults = { changeClaims: null, forgeSignature: false, silentPaths: [] };
  const asked: string[] = [];
  const { provider, sign } = await createProvider({ issuer, redirectUri, atTheLetter, accounts });

  provider.use(async (ctx, next) => {
    await next();
    const body = ctx.body as { id_token?: string } | undefined;
    if (ctx.path !== '/token' || body?.id_token === undefined) return;
    if (faults.changeClaims === null && !faults.forgeSignature) return;
    const claims = decodeJwt(body.id_token);
    body.id_token = await sign(faults.changeClaims?.(claims) ?? claims, faults.forgeSignature);
  });

  const answer = provider.callback();
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', issuer);
    asked.push(pathname);
    if (faults.silentPaths.includes(pathname)) return;
    if (pathname.startsWith('/sign-in/')) void showSignIn(provider, accounts, request, response);
    else void answer(request, response);
  });
  server.listen(ownPort, '127.0.0.1');
  await once(server, 'listening');

  return {
    issuer,
    port: ownPort,
    /** The paths of all requests to the provider so far. */
    asked,
    faults,
    settings: { ...CLIENT, issuer },
    /** Creates or changes the account of the user who signs in with the name `login`. */
    setAccount: (login: string, account: Account) => void accounts.set(login, account),
    /**
     * Signs in on the provider's page at `address`. Returns the address of the portal to which the provider then
     * redirects.
     */
    signIn: (address: string, login: string) => visitPages(address, redirectUri, { login, choice: 'allow' }),
    /**
     * Opens the provider's page at `address` and refuses access there. Returns the address of the portal to which the
     * provider then redirects.
     */
    refuse: (address: string) => visitPages(address, redirectUri, { login: '', choice: 'refuse' }),
    close: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

async function createProvider({
  issuer,
  redirectUri,
  atTheLetter,
  accounts,
}: {
  issuer: string;
  redirectUri: string;
  atTheLetter: boolean;
  accounts: Map<string, Account>;
}) {
  const kid = 'provider-key';
  const { privateKey } = await generateKeyPair('RS256', { extractable: true });
  const { privateKey: foreignKey } = await generateKeyPair('RS256');
  const provider = new Provider(issuer, {
    clients: [
      {
        client_id: CLIENT.clientId,
        client_secret: CLIENT.clientSecret,
        redirect_uris: [redirectUri],
        token_endpoint_auth_method: atTheLetter ? 'client_secret_basic' : 'client_secret_post',
      },
    ],
    clientAuthMethods: [atTheLetter ? 'client_secret_basic' : 'client_secret_post'],
    jwks: { keys: [{ ...(await exportJWK(privateKey)), kid, alg: 'RS256', use: 'sig' }] },
    cookies: { keys: [randomBytes(16).toString('hex')] },
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'] },
    conformIdTokenClaims: atTheLetter,
    pkce: { required: () => true },
    ttl: {
      AccessToken: 3600,
      AuthorizationCode: 60,
      Grant: 3600,
      IdToken: 3600,
      Interaction: 600,
      Session: 3600,
    },
    features: { devInteractions: { enabled: false } },
    interactions: { url: (_ctx, { uid }) => `/sign-in/${uid}`, policy: askForAccount() },
    findAccount: (_ctx, sub) => {
      const account = [...accounts.values()].find((candidate) => candidate.sub === sub);
      return account && { accountId: sub, claims: () => ({ ...account }) };
    },
  });
  const sign = (claims: JWTPayload, forged: boolean) =>
    new SignJWT(claims)
      .setProtectedHeader({ alg: 'RS256', kid, typ: 'JWT' })
      .sign(forged ? foreignKey : privateKey);
  return { provider, sign };
}

// Makes the provider support the parameter `prompt=select_account`, as Google does. With this parameter, the provider
// lets the user choose an account.
function askForAccount() {
  const policy = interactionPolicy.base();
  policy.add(new interactionPolicy.Prompt({ name: 'select_account', requestable: true }), 0);
  return policy;
}

async function showSignIn(
  provider: Provider,
  accounts: Map<string, Account>,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  if (request.method === 'GET') {
    response.setHeader('content-type', 'text/html; charset=utf-8');
    response.end(`<!doctype html><html lang="en"><meta charset="utf-8"><title>Provider</title>
<link rel="icon" href="data:,"><h1>Sign in at the provider</h1><form method="post">
<label>Account <input name="login"></label>
<button name="choice" value="allow">Allow</button> <button name="choice" value="refuse">Refuse</button></form>`);
    return;
  }
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const form = new URLSearchParams(Buffer.concat(chunks).toString());
  const sub = accounts.get(form.get('login') ?? '')?.sub;
  if (form.get('choice') !== 'allow' || sub === undefined) {
    const refusal = { error: 'access_denied', error_description: 'End-User aborted interaction' };
    return provider.interactionFinished(request, response, refusal);
  }
  const grant = new provider.Grant({ accountId: sub, clientId: CLIENT.clientId });
  grant.addOIDCScope('openid email profile');
  const consent = { grantId: await grant.save() };
  const done = { login: { accountId: sub }, select_account: {}, consent };
  await provider.interactionFinished(request, response, done);
}

// Visits the pages of the provider like a new browser: follows redirects, stores cookies and submits `form`. Returns
// the address of the redirect that leads to `redirectUri`.
async function visitPages(start: string, redirectUri: string, form: Record<string, string>): Promise<URL> {
  const jar = new Map<string, string>();
  let address = new URL(start);
  let body: string | undefined;
  while (!address.href.startsWith(redirectUri)) {
    const response: Response = await fetch(address, {
      method: body === undefined ? 'GET' : 'POST',
      redirect: 'manual',
      headers: {
        cookie: [...jar].map(([name, value]) => `${name}=${value}`).join('; '),
        ...(body !== undefined && { 'content-type': 'application/x-www-form-urlencoded' }),
      },
      ...(body !== undefined && { body }),
    });
    for (const cookie of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
      jar.set(name, value);
    }
    const location = response.headers.get('location');
    if (location !== null) {
      address = new URL(location, address);
      body = undefined;
    } else if (response.ok && body === undefined) {
      await response.text();
      body = new URLSearchParams(form).toString();
    } else {
      throw new Error(`the provider answers ${response.status}: ${await response.text()}`);
    }
  }
  return address;
}
