// GET /confirm: the page that a mailed link opens. Opening the page does not use up the link, so mail scanners that
// open links do no harm.
import { readFile } from 'node:fs/promises';
import { readLanguage } from '@portal/contract';
import { paletteStyles } from '@portal/contract/palette';
import type { FastifyReply } from 'fastify';
import type { AuthContext } from './context.ts';
import { writeConfirmPage } from './page/confirm-page.ts';
import { resolveRedirect } from './redirect.ts';
import { type AuthRoute, readQuery } from './wire.ts';

// The page's address contains a token. So the page loads nothing from other hosts and is not cached: neither another
// host nor a cache can get the address. The only image of the page is the favicon (img-src).
const HEADERS = {
  'Content-Security-Policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'Cache-Control': 'no-store',
  'X-Robots-Tag': 'noindex',
};

/** Returns the routes of the page, its script and its style sheet. Reads both files once, when the server starts. */
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
        const query = readQuery(request);
        const page = writeConfirmPage({
          language: readLanguage(request.headers),
          brand,
          home: new URL('/', settings.publicUrl).href,
          token: query.token_hash ?? '',
          type: query.type ?? 'magiclink',
          redirect_to: resolveRedirect(query.redirect_to, settings.publicUrl),
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
