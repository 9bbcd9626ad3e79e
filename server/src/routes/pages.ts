// The web application: its files as they were built, and its one page with the provider's settings written into it.
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import fastifyStatic from '@fastify/static';
import type { PageSettings } from '@portal/contract';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type BrandSettings, brandStyles } from '../brand.ts';

const BUILT = fileURLToPath(new URL('../../../web/dist/', import.meta.url));
const SETTINGS_SLOT = /(<script type="application\/json" id="page-settings">)\{\}(<\/script>)/;
const OUR_CALLS = /^\/(api|assets|auth\/v1|dev|metrics|healthz|readyz)(\/|$)/;

export type PageOptions = {
  publicUrl: string;
  trustedProxies: number;
  brand: BrandSettings;
  signIn: PageSettings['sign_in'];
};

/** Registers the built files and answers every other path with the page; calls of ours with a 404 in JSON. */
export async function handlePages(
  app: FastifyInstance,
  { publicUrl, trustedProxies, brand, signIn }: PageOptions,
): Promise<void> {
  if (existsSync(BUILT)) {
    await app.register(fastifyStatic, {
      root: BUILT,
      wildcard: false,
      index: false,
      globIgnore: ['index.html', '**/*.br', '**/*.gz'],
      preCompressed: true,
      cacheControl: false,
      setHeaders: (reply, file) => {
        const forever = file.includes('/assets/');
        reply.header('cache-control', forever ? 'public, max-age=31536000, immutable' : 'no-cache');
      },
    });
  }
  const styles = brandStyles(brand);
  app.get('/brand.css', { schema: { hide: true } }, (_request, reply) =>
    reply.type('text/css; charset=utf-8').header('cache-control', 'no-cache').send(styles),
  );

  // A hosted sign-in service may tell of Google only after the start.
  const pages = new Map<boolean, Page>();
  const getPage = ({ google } = signIn): Page => {
    const page = pages.get(google) ?? readPage({ brand: brand.brand, sign_in: signIn });
    pages.set(google, page);
    return page;
  };
  getPage();
  const { host } = new URL(publicUrl);
  app.setNotFoundHandler(async (request, reply) => {
    const isPage = request.method === 'GET' || request.method === 'HEAD';
    if (!isPage || OUR_CALLS.test(request.url.split('?', 1)[0] ?? '')) {
      return reply.status(404).send({ code: 'not_found', message: 'Not found' });
    }
    // Behind a proxy the host is the proxy's choice, and its own matter.
    if (trustedProxies === 0 && request.headers.host !== host)
      return reply.redirect(`${publicUrl}${request.url}`, 302);
    return sendPage(request, reply, getPage());
  });
}

type Page = { html: Buffer; br: Buffer; gzip: Buffer };

function readPage(settings: PageSettings): Page {
  const file = `${BUILT}index.html`;
  const built = existsSync(file) ? readFileSync(file, 'utf8') : '<!doctype html><title>Not built</title>';
  // `<` is escaped so that no word of the brand can end the script element.
  const json = JSON.stringify(settings).replaceAll('<', '\\u003c');
  const html = Buffer.from(built.replace(SETTINGS_SLOT, (_all, open, close) => `${open}${json}${close}`));
  return { html, br: brotliCompressSync(html), gzip: gzipSync(html) };
}

function sendPage(request: FastifyRequest, reply: FastifyReply, page: Page): FastifyReply {
  const accepted = String(request.headers['accept-encoding'] ?? '');
  const encoding = /\bbr\b/.test(accepted) ? 'br' : /\bgzip\b/.test(accepted) ? 'gzip' : null;
  reply
    .type('text/html; charset=utf-8')
    .header('cache-control', 'no-cache')
    .header('vary', 'accept-encoding');
  // The address of the callback holds a token, which no other page may learn of.
  if (request.url.startsWith('/auth/callback')) reply.header('referrer-policy', 'no-referrer');
  if (encoding !== null) reply.header('content-encoding', encoding);
  return reply.send(encoding === null ? page.html : page[encoding]);
}
