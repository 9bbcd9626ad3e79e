// Serves /dev/outbox to people on this machine: the last mails of a portal that has no mail server.
import { createHash } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { escapeHtml } from '../escape-html.ts';
import { isFromThisMachine } from './from-this-machine.ts';

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
 * Registers /dev/outbox and /dev/outbox.json. A client on another machine, or with a Host other than that of
 * PUBLIC_URL, gets a 404.
 */
export function handleOutbox(
  app: FastifyInstance,
  { outbox, publicUrl }: { outbox: { list(): OutboxMail[] }; publicUrl: string },
): void {
  const { host } = new URL(publicUrl);

  function isAllowed(request: FastifyRequest): boolean {
    // Prevents DNS rebinding: a website can let its own name resolve to 127.0.0.1, but the requests of its pages
    // contain that name as Host. So the Host must be that of PUBLIC_URL.
    return request.headers.host === host && isFromThisMachine(request);
  }

  async function guard(request: FastifyRequest, reply: FastifyReply) {
    if (isAllowed(request)) return;
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
