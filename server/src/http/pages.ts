// Serves the built files of the web application, and a page for every path that is not part of the API.
import { fileURLToPath } from 'node:url';
import fastifyStatic from '@fastify/static';
import { isLanguage, LANGUAGE_CHOICE, readLanguage } from '@portal/contract';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { brandStyles } from '../brand.ts';
import { createPages, type PageResponse, type PagesOptions } from '../pages/create-pages.ts';

const NOT_PAGES = /^\/(api|assets|auth\/v1|dev|metrics|healthz|readyz)(\/|$)/;

type PageOptions = PagesOptions & { trustedProxies: number };

/**
 * Registers the built files and the pages. An unknown path gets a page, because the browser may have a screen for it.
 * An unknown path of the API or of the built files gets a 404 in JSON.
 */
export async function handlePages(app: FastifyInstance, options: PageOptions): Promise<void> {
  const { built, publicUrl, trustedProxies, brand } = options;
  if (built !== null) {
    await app.register(fastifyStatic, {
      root: fileURLToPath(built.folder),
      wildcard: false,
      index: false,
      globIgnore: ['server/**', '**/*.br', '**/*.gz'],
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

  const findPage = createPages(options);
  const { host, protocol } = new URL(publicUrl);
  app.setNotFoundHandler(async (request, reply) => {
    const isPage = request.method === 'GET' || request.method === 'HEAD';
    const path = request.url.split('?', 1)[0] ?? '';
    if (!isPage || NOT_PAGES.test(path)) {
      return reply.status(404).send({ code: 'not_found', message: 'Not found' });
    }
    // Redirects requests with another host to the host of PUBLIC_URL. Behind a proxy there is no redirect: a proxy that
    // always sets another Host would cause a redirect loop.
    if (trustedProxies === 0 && request.headers.host !== host)
      return reply.redirect(`${publicUrl}${request.url}`, 302);
    const choice = readLanguageChoice(request.url, { secure: protocol === 'https:' });
    if (choice !== null)
      return reply.header('set-cookie', choice.cookie).redirect(`${publicUrl}${choice.rest}`, 303);
    const language = readLanguage(request.headers);
    return sendPage(request, reply, await findPage({ path, language, log: request.log }));
  });
}

function sendPage(
  request: FastifyRequest,
  reply: FastifyReply,
  { status, page }: PageResponse,
): FastifyReply {
  const accepted = String(request.headers['accept-encoding'] ?? '');
  const encoding = /\bbr\b/.test(accepted) ? 'br' : /\bgzip\b/.test(accepted) ? 'gzip' : null;
  reply
    .header('cache-control', 'no-cache')
    .header('vary', 'accept-encoding, accept-language, cookie')
    .header('etag', page.etag);
  // The address of the callback page contains a token, so the browser must not send this address to other sites in the
  // Referer header.
  if (request.url.startsWith('/auth/callback')) reply.header('referrer-policy', 'no-referrer');
  if (status === 200 && hasCached(request, page.etag)) return reply.status(304).send();
  if (encoding !== null) reply.header('content-encoding', encoding);
  return reply
    .status(status)
    .type('text/html; charset=utf-8')
    .send(encoding === null ? page.html : page.encode(encoding));
}

function hasCached(request: FastifyRequest, etag: string): boolean {
  const cached = request.headers['if-none-match'] ?? '';
  return cached.split(',').some((each) => each.trim() === etag);
}

const YEAR_SECONDS = 31_536_000;

/**
 * Reads the language that the visitor has chosen from the query of `address`, a path with its query. Returns a `cookie`
 * that stores the language for a year, and `rest`, the address without the language. Returns null if the query contains
 * no language, or an unknown one.
 */
function readLanguageChoice(
  address: string,
  { secure }: { secure: boolean },
): { cookie: string; rest: string } | null {
  const [path = '', text] = address.split('?', 2);
  const query = new URLSearchParams(text);
  const language = query.get(LANGUAGE_CHOICE);
  if (language === null || !isLanguage(language)) return null;
  query.delete(LANGUAGE_CHOICE);
  const cookie = `${LANGUAGE_CHOICE}=${language}; Path=/; Max-Age=${YEAR_SECONDS}; SameSite=Lax`;
  return {
    cookie: secure ? `${cookie}; Secure` : cookie,
    rest: query.size > 0 ? `${path}?${query}` : path,
  };
}
