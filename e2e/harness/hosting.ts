// A portal's sign-in service as a hosted one: behind a proxy that lets pages of other origins call it, as Supabase does,
// and that has another portal's callback on its list of addresses to return to.
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

export type Hosting = {
  /** Where the service is: the portal's own address, as it knows it. */
  url: string;
  mailbox: Mailbox;
  /** Origin of the portal whose people sign in here. */
  guest: string;
  /** False: it answers as a service that is down. */
  answers: boolean;
  /** What /settings says besides the truth. */
  settings: Record<string, unknown>;
  /** Values of the header `apikey`, of calls by pages. */
  apiKeys: Set<string>;
  close(): Promise<void>;
};

export async function startHosting(mailbox: Mailbox): Promise<Hosting> {
  const place = await makePlace();
  const port = await findFreePort();
  const url = `http://127.0.0.1:${port}`;
  const portal: Portal = await startPortal({
    mailbox,
    place,
    env: { PUBLIC_URL: url, TRUSTED_PROXIES: '1' },
  });
  const server = createServer((request, response) => {
    answer(hosting, `http://127.0.0.1:${place.port}`, request, response);
  });
  const hosting: Hosting = {
    url,
    mailbox,
    guest: url,
    answers: true,
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
  return hosting;
}

function answer(hosting: Hosting, target: string, request: IncomingMessage, response: ServerResponse): void {
  if (!hosting.answers) return void response.writeHead(503).end();
  if (request.method === 'OPTIONS') return void response.writeHead(204, CORS).end();
  const { pathname, search, searchParams } = new URL(request.url ?? '/', hosting.url);
  if (pathname === '/auth/callback') {
    return void response.writeHead(302, { location: `${hosting.guest}${pathname}${search}` }).end();
  }
  if (request.headers.origin !== undefined) hosting.apiKeys.add(String(request.headers.apikey));
  // Addresses of the guest are its own to the portal behind, which sends back to the callback above.
  const back = searchParams.get('redirect_to');
  if (back?.startsWith(`${hosting.guest}/auth/callback`)) {
    searchParams.set('redirect_to', back.replace(hosting.guest, hosting.url));
  }
  const { method, headers } = request;
  const forwarded = send(`${target}${pathname}?${searchParams}`, { method, headers }, (answered) => {
    const { statusCode = 502 } = answered;
    if (pathname !== '/auth/v1/settings') {
      response.writeHead(statusCode, { ...answered.headers, ...CORS });
      answered.pipe(response);
      return;
    }
    answered.setEncoding('utf8').on('data', (text: string) => {
      response.writeHead(statusCode, { 'content-type': 'application/json', ...CORS });
      response.end(JSON.stringify({ ...JSON.parse(text), ...hosting.settings }));
    });
  });
  request.pipe(forwarded);
}
