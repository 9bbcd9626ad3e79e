// The portal as one HTTP application; it opens no port and reads no environment.
import type { PageSettings } from '@portal/contract';
import fastify, { type FastifyBaseLogger, type FastifyInstance, LogController } from 'fastify';
import { serializerCompiler, validatorCompiler } from 'fastify-type-provider-zod';
import type { Logger } from 'pino';
import * as z from 'zod';
import type { AuthService } from './auth/auth-service.ts';
import { type BrandSettings, brandStyles } from './brand.ts';
import type { Database } from './db/database.ts';
import type { Outbox } from './gateways/mailer.ts';
import type { ProcessMetrics } from './metrics/process-metrics.ts';
import { readBuiltPages } from './pages/built-pages.ts';
import type { RequestCounter } from './request-counter.ts';
import { handleCoupons } from './routes/coupons.ts';
import { handleDescription } from './routes/description.ts';
import { createHandle, type VerifyToken } from './routes/handle.ts';
import { handleHealth } from './routes/health.ts';
import { handleImports } from './routes/imports.ts';
import { handleJobs } from './routes/jobs.ts';
import { limitArrival } from './routes/limit-arrival.ts';
import { handleMetrics, type MetricsOptions } from './routes/metrics.ts';
import { handleOutbox } from './routes/outbox.ts';
import { handlePages } from './routes/pages.ts';
import { handleProducts } from './routes/products.ts';
import { handleRedemption } from './routes/redemption.ts';
import { createRequestIds, tellRequestId } from './routes/request-id.ts';
import { findRefusal, sendError } from './routes/send-error.ts';
import { handleSession } from './routes/session.ts';
import { handleStats } from './routes/stats.ts';
import { handleUsers } from './routes/users.ts';
import { listSecurityHeaders } from './security-headers.ts';
import { createClaimHints } from './usecases/claim-hints.ts';
import type { RandomBytes } from './usecases/coupon-code.ts';
import type { UploadTools } from './usecases/import-csv.ts';

const BODY_LIMIT_BYTES = 100_000;

// More than Node takes of a request's head.
const MAX_ADDRESS_LENGTH = 65_536;

// For a request to arrive, first its head and then its body; one that never ends would hold its connection for ever.
const ARRIVAL_MS = 30_000;
// For a whole upload: 64 MB over a line of one megabit a second.
const UPLOAD_MS = 10 * 60_000;

export type AppOptions = {
  db: Database;
  /** `routes` null: a hosted service signs people in. */
  auth: Pick<AuthService, 'describeProofs'> & {
    routes: AuthService['routes'] | null;
    verify: VerifyToken;
  };
  /** The mails that were not sent but kept to be read at /dev/outbox; null when SMTP is configured. */
  outbox: Outbox | null;
  brand: BrandSettings;
  signIn: PageSettings['sign_in'];
  publicUrl: string;
  trustedProxies: number;
  now: () => Date;
  /** True from the moment when the process begins to stop. */
  isStopping: () => boolean;
  randomBytes: RandomBytes;
  uploadTools: UploadTools;
  requests: Pick<RequestCounter, 'note'>;
  metrics: ProcessMetrics;
  /** The metrics of all processes. */
  gatherMetrics: MetricsOptions['gatherMetrics'];
  metricsToken: string | null;
  /** Tests shorten it. */
  arrivalMs?: number;
  log: Logger;
};

/** Builds the application; `listen` or `inject` it, and `close` it. */
export async function buildApp(options: AppOptions): Promise<FastifyInstance> {
  const { db, auth, outbox, brand, publicUrl, trustedProxies, requests, metrics, log } = options;
  const { arrivalMs = ARRIVAL_MS } = options;
  z.config(z.locales.en());
  const app = fastify({
    loggerInstance: log as FastifyBaseLogger,
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: 'request_id' }),
    genReqId: createRequestIds(trustedProxies),
    bodyLimit: BODY_LIMIT_BYTES,
    trustProxy: trustedProxies === 0 ? false : (_address: string, hop: number) => hop < trustedProxies,
    // What is too long is told by the guard and the schema, like any other fault, not by the router ahead of them.
    routerOptions: { maxParamLength: MAX_ADDRESS_LENGTH },
    forceCloseConnections: 'idle',
    // What still comes on a connection that stands is answered, and the connection closed with it.
    return503OnClosing: false,
    http: { headersTimeout: arrivalMs, connectionsCheckingInterval: arrivalMs },
    requestTimeout: UPLOAD_MS,
    // What cannot be decoded is no address of ours, and is told so like any other (R-ROUTE-18, R-API-24).
    rewriteUrl: ({ url = '/' }) => (isDecodable(url) ? url : url.replace(/[?%].*/s, 'malformed')),
  });
  app.setValidatorCompiler(validatorCompiler);
  app.setSerializerCompiler(serializerCompiler);
  app.setErrorHandler(sendError);
  // What is not JSON is refused, not parsed: a cross-site form could send it without asking first.
  app.removeContentTypeParser('text/plain');
  tellRequestId(app);
  limitArrival(app, { patienceMs: arrivalMs, bodyLimitBytes: BODY_LIMIT_BYTES });
  const built = await readBuiltPages();
  const inline = { script: built?.firstScript ?? '', style: brandStyles(brand) };
  const securityHeaders = listSecurityHeaders(publicUrl, options.signIn.url, inline);
  app.addHook('onRequest', (_request, reply, done) => {
    reply.headers(securityHeaders);
    done();
  });
  app.addHook('onSend', (_request, reply, _payload, done) => {
    if (options.isStopping()) reply.header('connection', 'close');
    done();
  });
  noteAnswers(app, metrics);

  await handleDescription(app, { publicUrl });
  if (auth.routes !== null) await app.register(auth.routes, { prefix: '/auth/v1' });
  await app.register((api, _options, done) => {
    api.addHook('onSend', (_request, reply, _payload, done) => {
      reply.header('cache-control', 'no-store');
      done();
    });
    api.addHook('onResponse', (_request, _reply, done) => {
      requests.note();
      done();
    });
    const handle = createHandle(api, db, auth.verify);
    const tools = {
      ...options,
      ...options.uploadTools,
      hints: createClaimHints(),
      supportEmail: brand.brand.support_email,
    };
    handleSession(handle, tools);
    handleProducts(handle, tools);
    handleUsers(handle, tools);
    handleCoupons(handle, tools);
    handleRedemption(handle, tools);
    handleImports(handle, tools);
    handleJobs(handle, tools);
    handleStats(handle, tools);
    done();
  });
  handleHealth(app, { db, isStopping: options.isStopping });
  handleMetrics(app, options);
  if (outbox !== null) handleOutbox(app, { outbox, publicUrl });
  await handlePages(app, { ...options, built });
  return app;
}

function noteAnswers(app: FastifyInstance, metrics: ProcessMetrics): void {
  app.addHook('onResponse', (request, reply, done) => {
    // The route, not the address: addresses hold what people typed.
    const { method, routeOptions } = request;
    const { statusCode: status, elapsedTime } = reply;
    const ms = Math.round(elapsedTime * 10) / 10;
    request.log.debug({ method, route: routeOptions.url ?? 'page', status, ms }, 'request');
    const refusal = findRefusal(request);
    metrics.noteRequest({ method, route: routeOptions.url, status, seconds: elapsedTime / 1000, refusal });
    done();
  });
}

function isDecodable(url: string): boolean {
  if (!url.includes('%')) return true;
  try {
    decodeURI(url);
    return true;
  } catch {
    return false;
  }
}
