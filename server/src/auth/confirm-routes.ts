// GET /confirm: the page that a mailed link opens. Opening this page does not use up the link, because mail scanners
// open links too. The user presses a button on the page to sign in. In the browser that requested the mail, the page
// signs in without the button.
import { readFile } from 'node:fs/promises';
import { type Language, readLanguage } from '@portal/contract';
import { translateIn } from '@portal/contract/mailed';
import { paletteStyles } from '@portal/contract/palette';
import type { FastifyReply } from 'fastify';
import { escapeHtml } from '../escape-html.ts';
import type { MailBrand } from '../mail/mail-frame.ts';
import type { AuthContext } from './context.ts';
import { resolveRedirect } from './redirect.ts';
import { type AuthRoute, readQuery } from './wire.ts';

// The page's address contains the token of the mailed link. So the page loads nothing from other hosts, which could
// read the address in the Referer header, and no cache stores the page. The favicon needs img-src.
const HEADERS = {
  'Content-Security-Policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'Cache-Control': 'no-store',
  'X-Robots-Tag': 'noindex',
};

/** Returns the routes of the page, its script and its style sheet. Reads both files once, at the start. */
export async function listConfirmRoutes({ settings, brand }: AuthContext): Promise<AuthRoute[]> {
  const [script, style] = await Promise.all([
    readFile(new URL('./page/confirm.js', import.meta.url), 'utf8'),
    readFile(new URL('./page/confirm.css', import.meta.url), 'utf8'),
  ]);
  const branded = `${paletteStyles(brand.accent)}\n${style}`;
  const sendAsset = (reply: FastifyReply, type: string, text: string) =>
    reply.type(type).header('Cache-Control', 'no-cache').send(text);

  return [
    {
      method: 'GET',
      path: '/confirm',
      handle: async (request, reply) => {
        const { token_hash: token = '', type = 'magiclink', redirect_to } = readQuery(request);
        const page = writeConfirmPage(brand, {
          language: readLanguage(request.headers),
          home: new URL('/', settings.publicUrl).href,
          token,
          type,
          redirect_to: resolveRedirect(redirect_to, settings.publicUrl),
        });
        return reply.headers(HEADERS).type('text/html; charset=utf-8').send(page);
      },
    },
    {
      method: 'GET',
      path: '/confirm.js',
      handle: async (_request, reply) => sendAsset(reply, 'text/javascript; charset=utf-8', script),
    },
    {
      method: 'GET',
      path: '/confirm.css',
      handle: async (_request, reply) => sendAsset(reply, 'text/css; charset=utf-8', branded),
    },
  ];
}

// Outline of a ticket, as an SVG path. The page's logo is this ticket with the first letter of the brand's name.
const TICKET =
  'M6 2.5h14a3.5 3.5 0 0 1 3.5 3.5v3.13a3.9 3.9 0 0 0 0 7.74V20a3.5 3.5 0 0 1-3.5 3.5H6A3.5 3.5 0 0 1 2.5 20v-3.13a3.9 3.9 0 0 0 0-7.74V6A3.5 3.5 0 0 1 6 2.5Z';
const drawMark = (letter: string) =>
  `<svg width="26" height="26" viewBox="0 0 26 26" aria-hidden="true" focusable="false"><path fill="currentColor" d="${TICKET}"/><text x="13" y="17.6" text-anchor="middle">${letter}</text></svg>`;

type ConfirmPage = { language: Language; home: string; token: string; type: string; redirect_to: string };

// The page passes the token and the texts to its script in data attributes. If `token` is empty, the page shows that
// the link does not work.
function writeConfirmPage(
  brand: MailBrand,
  { language, home, token, type, redirect_to }: ConfirmPage,
): string {
  const name = escapeHtml(brand.name);
  const mark = drawMark(escapeHtml(Array.from(brand.name)[0] ?? ''));
  const broken = token === '';
  const t = translateIn(language);
  const said = (english: string) => escapeHtml(t(english));
  return `<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<title>${said('Sign in')} · ${name}</title>
<link rel="stylesheet" href="/auth/v1/confirm.css">
<script type="module" src="/auth/v1/confirm.js"></script>
</head>
<body>
<header><a class="brand" href="${escapeHtml(home)}">${mark}<span>${name}</span></a></header>
<main>
<section id="ask" class="card" data-token-hash="${escapeHtml(token)}" data-type="${escapeHtml(type)}" data-redirect-to="${escapeHtml(redirect_to)}"${broken ? ' hidden' : ''}>
<h1>${escapeHtml(t('Continue to {name}', { name: brand.name }))}</h1>
<p>${said('Press Continue to sign in on this device. If you did not ask for this, close the page.')}</p>
<button id="continue" type="button">${said('Continue')}</button>
<p id="status" role="status" data-busy="${said('Signing you in…')}" data-too-often="${said('There were too many attempts. Wait a few minutes, then press Continue.')}" data-away="${said('The portal does not answer. Press Continue to try again.')}"></p>
<noscript><p>${said('Signing in needs JavaScript. Turn it on and open the link again, or type the six-digit code from the email where you asked for it.')}</p></noscript>
</section>
<section id="failed" class="card" tabindex="-1"${broken ? '' : ' hidden'}>
<h1>${said('This link no longer works')}</h1>
<p>${said('A sign-in link works once and for a limited time. Go back, log in again and open the newest email.')}</p>
<a class="button" href="${escapeHtml(home)}">${said('Back to Home')}</a>
</section>
</main>
</body>
</html>
`;
}
