// Runs a minimal hosted sign-in service for tests, with the protocol of Supabase Auth. The service signs tokens with a
// shared secret, as older hosted services do.
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import { decodeJwt, type JWTPayload, jwtVerify, SignJWT } from 'jose';
import type { TestClock } from './open-test-sign-in.ts';

type Answer = { status: number; body?: unknown };

export type SmallAuthService = Awaited<ReturnType<typeof openSmallAuthService>>;

/** Starts the sign-in service on the loopback address. By default it listens on a free port. */
export async function openSmallAuthService({ clock, port = 0 }: { clock: TestClock; port?: number }) {
  const secret = randomUUID() + randomUUID();
  const key = new TextEncoder().encode(secret);
  /** The users by id. The sessions of a user are valid as long as this map contains the user. */
  const users = new Map<string, Record<string, unknown>>();
  /**
   * The requests so far, oldest first. Each text consists of the path, a space, and the API key, or `-` if the request
   * had no key.
   */
  const calls: string[] = [];
  const settings: Record<string, unknown> = {
    mailer_autoconfirm: false,
    external: { google: true, email: true },
  };
  /** The responses that a test has set, by path. The service sends these responses instead of its own. */
  const instead = new Map<string, Answer>();
  /**
   * Promises by path. The service responds to a request for one of these paths only when the promise of the path has
   * resolved.
   */
  const held = new Map<string, Promise<void>>();

  async function answer({ url = '', headers }: IncomingMessage): Promise<Answer> {
    calls.push(`${url} ${headers.apikey ?? '-'}`);
    await held.get(url);
    const planned = instead.get(url);
    if (planned) return planned;
    if (url === '/settings') return { status: 200, body: settings };
    if (url === '/.well-known/jwks.json') return { status: 200, body: { keys: [] } };
    if (url !== '/user') return { status: 404 };
    const token = headers.authorization?.replace('Bearer ', '') ?? '';
    const verified = await jwtVerify(token, key, { currentDate: clock.now() }).catch(() => null);
    const user = users.get(verified?.payload.sub ?? '');
    return user
      ? { status: 200, body: user }
      : { status: 403, body: { code: 403, error_code: verified ? 'session_not_found' : 'bad_jwt' } };
  }

  const server = createServer(async (request, response) => {
    const { status, body } = await answer(request);
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(body === undefined ? '' : JSON.stringify(body));
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  const url = `http://127.0.0.1:${address.port}`;

  /** Returns a JWT with these `claims`, signed with `signWith` (by default with the key of the service). */
  function sign(claims: JWTPayload, header: Record<string, unknown> = {}, signWith = key) {
    return new SignJWT({ ...claims })
      .setProtectedHeader({ alg: 'HS256', typ: 'JWT', ...header })
      .sign(signWith);
  }

  return {
    url,
    secret,
    settings,
    users,
    calls,
    instead,
    sign,
    /**
     * Creates a user and returns an access token. `claims` replaces default claims of the token; `user` replaces
     * default fields of the user.
     */
    signIn: async (claims: JWTPayload = {}, user: Record<string, unknown> = {}) => {
      const id = randomUUID();
      const email = `${id}@example.org`;
      const now = Math.floor(clock.now().getTime() / 1000);
      const identities = [{ provider: 'email', id }];
      users.set(id, { id, email, email_confirmed_at: clock.now().toISOString(), identities, ...user });
      return sign({
        iss: url,
        sub: id,
        aud: 'authenticated',
        role: 'authenticated',
        email,
        iat: now,
        exp: now + 3600,
        amr: [{ method: 'otp', timestamp: now }],
        session_id: randomUUID(),
        is_anonymous: false,
        ...claims,
      });
    },
    /** Delays all responses to requests for `path`. The returned function ends the delay. */
    hold: (path: string) => {
      const { promise, resolve } = Promise.withResolvers<void>();
      held.set(path, promise);
      return () => {
        held.delete(path);
        resolve();
      };
    },
    /** Ends all sessions of the token's user. */
    signOut: (token: string) => users.delete(decodeJwt(token).sub ?? ''),
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
