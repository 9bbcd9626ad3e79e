// Runs a second portal as a hosted sign-in service. A proxy in front allows calls from other origins, as Supabase does,
// and redirects sign-ins back to the portal under test.
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse, request as send } from 'node:http';
import { findFreePort } from '../../server/test/postgres.ts';
import type { Mailbox } from './mailbox.ts';
import { makePlace, type Portal, startPortal } from './portal.ts';

const CORS = {
  'access-control-allow-origin': '*',
  'access-control-allow-methods': 'GET,POST,PUT,PATCH,DELETE',
  'access-control-allow-headers': 'authorization,apikey,content-type,x-client-info,x-supabase-api-version',
  'access-control-expose-headers': 'x-supabase-api-version',
};

export type HostedService = {
  /** Address of the proxy, which is also the second portal's PUBLIC_URL. */
  url: string;
  mailbox: Mailbox;
  /** Origin of the portal under test, whose users sign in here. */
  portalOrigin: string;
  /** If false, the service responds with 503 to every request. */
  isUp: boolean;
  /** Fields that replace or extend the fields in the response of /auth/v1/settings. */
  settings: Record<string, unknown>;
  /** All values of the header `apikey` that pages have sent to the proxy so far. */
  apiKeys: Set<string>;
  close(): Promise<void>;
};

export async function startHostedService(mailbox: Mailbox): Promise<HostedService> {
  const place = await makePlace();
  const port = await findFreePort();
  const url = `http://127.0.0.1:${port}`;
  const portal: Portal = await startPortal({
    mailbox,
    place,
    env: { PUBLIC_URL: url, TRUSTED_PROXIES: '1' },
  });
  const server = createServer((request, response) => {
    forward(hosted, `http://127.0.0.1:${place.port}`, request, response);
  });
  const hosted: HostedService = {
    url,
    mailbox,
    portalOrigin: url,
    isUp: true,
    settings: {},
    apiKeys: new Set(),
    close: async () => {
      server.closeAllConnections();
      server.close();
      await portal.stop();
    },
  };
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return hosted;
}

function forward(
  hosted: HostedService,
  target: string,
  request: IncomingMessage,
  response: ServerResponse,
): void {
  if (!hosted.isUp) return void response.writeHead(503).end();
  if (request.method === 'OPTIONS') return void response.writeHead(204, CORS).end();
  const { pathname, search, searchParams } = new URL(request.url ?? '/', hosted.url);
  if (pathname === '/auth/callback') {
    return void response.writeHead(302, { location: `${hosted.portalOrigin}${pathname}${search}` }).end();
  }
  if (request.headers.origin !== undefined) hosted.apiKeys.add(String(request.headers.apikey));
  // After a sign-in, the second portal redirects only to its own origin. So `redirect_to` gets the origin of the second
  // portal here. The browser then requests /auth/callback of the second portal. The proxy redirects this request to the
  // portal under test (see above).
  const redirectTo = searchParams.get('redirect_to');
  if (redirectTo?.startsWith(`${hosted.portalOrigin}/auth/callback`)) {
    searchParams.set('redirect_to', redirectTo.replace(hosted.portalOrigin, hosted.url));
  }
  const { method, headers } = request;
  const outgoing = send(`${target}${pathname}?${searchParams}`, { method, headers }, (reply) => {
    const { statusCode = 502 } = reply;
    if (pathname !== '/auth/v1/settings') {
      response.writeHead(statusCode, { ...reply.headers, ...CORS });
      reply.pipe(response);
      return;
    }
    reply.setEncoding('utf8').on('data', (text: string) => {
      response.writeHead(statusCode, { 'content-type': 'application/json', ...CORS });
      response.end(JSON.stringify({ ...JSON.parse(text), ...hosted.settings }));
    });
  });
  request.pipe(outgoing);
}
