// Routes for operators and developers: two health checks, /metrics for Prometheus, and /dev/outbox, which shows the
// last mails if the portal has no mail server.

import { createHash, timingSafeEqual } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Registry } from 'prom-client';
import { isLoopback } from '../config.ts';
import { type Database, isTooBusy } from '../db/database.ts';
import { ping } from '../db/deployment.sql.ts';
import { escapeHtml } from '../escape-html.ts';
import { type PortalMetricsTools, readPortalMetrics } from '../metrics/gather-metrics.ts';
import { VERSION } from '../version.ts';

const DATABASE_TIMEOUT_MS = 2_000;

type HealthTools = {
  db: Database;
  /**
   * Returns true after the process was told to stop. /readyz then responds 503, so that load balancers use other
   * processes.
   */
  isStopping: () => boolean;
};

export function handleHealth(app: FastifyInstance, { db, isStopping }: HealthTools): void {
  app.get('/healthz', { schema: { hide: true } }, async () => ({ status: 'ok', version: VERSION }));

  app.get('/readyz', { schema: { hide: true } }, async (_request, reply) => {
    const problem = isStopping() ? 'stopping' : await findProblem(db);
    return reply.status(problem === null ? 200 : 503).send({ status: problem ?? 'ready' });
  });
}

async function findProblem(db: Database): Promise<'database unavailable' | null> {
  const isAvailable = await Promise.race([
    // If the database is busy, the ping fails or waits for a connection. The process is ready all the same. After a
    // 503, the load balancer would send all requests to the other processes and overload them too.
    ping(db).then(() => true, isTooBusy),
    new Promise<boolean>((resolve) => {
      setTimeout(() => resolve(db.countConnections().waiting > 0), DATABASE_TIMEOUT_MS).unref();
    }),
  ]);
  return isAvailable ? null : 'database unavailable';
}

export type MetricsOptions = PortalMetricsTools & {
  /** Value of the setting METRICS_TOKEN; null if the setting is missing. */
  metricsToken: string | null;
  publicUrl: string;
  trustedProxies: number;
  /** Reads the metrics of all processes. */
  gatherMetrics: () => Promise<Registry>;
};

/**
 * Registers /metrics. With METRICS_TOKEN, only requests with this token get the metrics.
 * Without METRICS_TOKEN, only clients on this machine get them, and only if PUBLIC_URL is a loopback address and no
 * proxy is configured: a request through a proxy that adds no header looks like a local request.
 * All other requests get the 404 of an unknown path.
 */
export function handleMetrics(
  app: FastifyInstance,
  { metricsToken, publicUrl, trustedProxies, gatherMetrics, ...portal }: MetricsOptions,
): void {
  const isPrivate = isLoopback(publicUrl) && trustedProxies === 0;

  function isAllowed(request: FastifyRequest): boolean {
    if (metricsToken !== null) return isSame(request.headers.authorization ?? '', `Bearer ${metricsToken}`);
    // Prevents DNS rebinding: a website can let its own name resolve to 127.0.0.1, so that its pages read the metrics.
    // Such requests have the website's name in the header Host. So the Host must be a loopback address.
    const hostUrl = `http://${request.headers.host ?? ''}`;
    return isPrivate && URL.canParse(hostUrl) && isLoopback(hostUrl) && isFromThisMachine(request);
  }

  app.get(
    '/metrics',
    {
      schema: { hide: true },
      onRequest: async (request, reply) => {
        if (!isAllowed(request)) return reply.callNotFound();
      },
    },
    async (_request, reply) => {
      const [processes, ofPortal] = await Promise.all([gatherMetrics(), readPortalMetrics(portal)]);
      const text = `${await processes.metrics()}\n${await ofPortal.metrics()}`;
      return reply.type(processes.contentType).header('cache-control', 'no-store').send(text);
    },
  );
}

// Compares hashes, because they have equal lengths. So the response time does not reveal the length of the token.
function isSame(given: string, expected: string): boolean {
  const [a, b] = [given, expected].map((text) => createHash('sha256').update(text).digest());
  return a !== undefined && b !== undefined && timingSafeEqual(a, b);
}

const STYLE = `:root{color-scheme:light dark;font:16px/1.6 ui-sans-serif,system-ui,sans-serif}
body{max-width:44rem;margin:2rem auto;padding:0 1rem}
h1{font-size:1.75rem;line-height:1.2}h2{font-size:1.125rem;margin:0}
article{border:1px solid color-mix(in srgb,currentColor 20%,transparent);border-radius:12px;padding:1.25rem 1.5rem;margin:1.25rem 0}
p{margin:.25rem 0}a{overflow-wrap:anywhere}pre{white-space:pre-wrap;overflow-wrap:anywhere;font-size:.875rem}`;
const POLICY = `default-src 'none'; style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;

/** A mail of the outbox. `sent_at` is in ISO 8601. */
type OutboxMail = {
  to: string;
  subject: string;
  text: string;
  html: string;
  links: string[];
  sent_at: string;
};

/**
 * Registers /dev/outbox and /dev/outbox.json. Clients on other machines get a 404, and so does a request with another
 * Host than that of PUBLIC_URL.
 */
export function handleOutbox(
  app: FastifyInstance,
  { outbox, publicUrl }: { outbox: { list(): OutboxMail[] }; publicUrl: string },
): void {
  const { host } = new URL(publicUrl);

  async function guard(request: FastifyRequest, reply: FastifyReply) {
    // Prevents DNS rebinding: a website can let its own name resolve to 127.0.0.1, so that its pages read the mails.
    // Such requests have the website's name in the header Host. So the Host must be that of PUBLIC_URL.
    if (request.headers.host === host && isFromThisMachine(request)) return;
    return reply.code(404).send({ code: 'not_found', message: 'Not found' });
  }

  app.get('/dev/outbox', { onRequest: guard }, (_request, reply) =>
    reply
      .headers({
        'Content-Security-Policy': POLICY,
        'Referrer-Policy': 'no-referrer',
        'Cache-Control': 'no-store',
      })
      .type('text/html; charset=utf-8')
      .send(writePage(outbox.list())),
  );

  app.get('/dev/outbox.json', { onRequest: guard }, (_request, reply) =>
    reply.header('Cache-Control', 'no-store').send(outbox.list()),
  );
}

function writePage(mails: OutboxMail[]): string {
  const articles = mails.map(writeArticle).join('\n') || '<p>No mail has been sent since the start.</p>';
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Outbox</title>
<style>${STYLE}</style>
</head>
<body>
<main>
<h1>Outbox</h1>
<p>Mails that a mail server would have sent, newest first. <a href="/dev/outbox">Reload</a></p>
${articles}
</main>
</body>
</html>`;
}

function writeArticle(mail: OutboxMail): string {
  const links = mail.links
    .map((link) => `<p><a href="${escapeHtml(link)}">${escapeHtml(link)}</a></p>`)
    .join('');
  return `<article>
<h2>${escapeHtml(mail.subject)}</h2>
<p>To ${escapeHtml(mail.to)}, <time datetime="${mail.sent_at}">${mail.sent_at}</time></p>
${links}
<details><summary>Text</summary><pre>${escapeHtml(mail.text)}</pre></details>
</article>`;
}

const FORWARDING = /^(?:forwarded|x-forwarded-(?:for|host|proto)|x-real-ip|via)$/;
const LOOPBACK = /^(?:::1|(?:::ffff:)?127\.\d+\.\d+\.\d+)$/;

/** True if the client has a loopback address and the request has no header that proxies add. */
function isFromThisMachine(request: FastifyRequest): boolean {
  if (Object.keys(request.headers).some((name) => FORWARDING.test(name))) return false;
  return LOOPBACK.test(request.socket.remoteAddress ?? '');
}
