// Builds the portal as one Fastify application. The module opens no port and does not read the environment.
import type { OutgoingHttpHeaders } from 'node:http';
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
import { listJsonHeaders, listSecurityHeaders } from './security-headers.ts';
import { createClaimHints } from './usecases/claim-hints.ts';
import type { RandomBytes } from './usecases/coupon-code.ts';
import type { UploadTools } from './usecases/import-csv.ts';

const BODY_LIMIT_BYTES = 100_000; // requirement A-77

// More than Node accepts as request headers, so the router never refuses a parameter as too long.
const MAX_ADDRESS_LENGTH = 65_536;

// Time for the headers of a request to arrive, and again for its body. An unfinished request would otherwise occupy its
// connection for ever.
const ARRIVAL_MS = 30_000;
// Time for a whole upload: 64 MB at 1 Mbit/s take 9 minutes.
const UPLOAD_MS = 10 * 60_000;

export type AppOptions = {
  db: Database;
  /** `routes` is null if a hosted sign-in service is configured. */
  auth: Pick<AuthService, 'describeProofs'> & {
    routes: AuthService['routes'] | null;
    verify: VerifyToken;
  };
  /** The mails kept in memory for /dev/outbox; null if SMTP is configured. */
  outbox: Outbox | null;
  brand: BrandSettings;
  signIn: PageSettings['sign_in'];
  publicUrl: string;
  trustedProxies: number;
  now: () => Date;
  /** True as soon as the process begins to stop. */
  isStopping: () => boolean;
  randomBytes: RandomBytes;
  uploadTools: UploadTools;
  requests: Pick<RequestCounter, 'note'>;
  metrics: ProcessMetrics;
  /** Returns the metrics of all processes. */
  gatherMetrics: MetricsOptions['gatherMetrics'];
  metricsToken: string | null;
  /** Time for a request to arrive; tests set a shorter one. */
  arrivalMs?: number;
  log: Logger;
};

/** Returns the application. The caller runs `listen` or `inject`, and finally `close`. */
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
    // Overlong parameters must reach the access check and schema validation, which respond like for any other error.
    routerOptions: { maxParamLength: MAX_ADDRESS_LENGTH },
    forceCloseConnections: 'idle',
    // During shutdown, a request on an open connection still gets a response, after which the connection is closed.
    return503OnClosing: false,
    http: { headersTimeout: arrivalMs, connectionsCheckingInterval: arrivalMs },
    requestTimeout: UPLOAD_MS,
    // An address that cannot be decoded is treated as an unknown address (R-ROUTE-18, R-API-24).
    rewriteUrl: ({ url = '/' }) => (isDecodable(url) ? url : url.replace(/[?%].*/s, 'malformed')),
  });
  app.setValidatorCompiler(validatorCompiler);
  app.setSerializerCompiler(serializerCompiler);
  app.setErrorHandler(sendError);
  // Only JSON bodies are parsed: browsers send a text/plain form to other sites without a CORS preflight.
  app.removeContentTypeParser('text/plain');
  tellRequestId(app);
  limitArrival(app, { patienceMs: arrivalMs, bodyLimitBytes: BODY_LIMIT_BYTES });
  const built = await readBuiltPages();
  const inline = { script: built?.firstScript ?? '', style: brandStyles(brand) };
  sendSecurityHeaders(app, listSecurityHeaders(publicUrl, options.signIn.url, inline));
  app.addHook('onSend', (_request, reply, _payload, done) => {
    if (options.isStopping()) reply.header('connection', 'close');
    done();
  });
  observeResponses(app, metrics);

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

function sendSecurityHeaders(app: FastifyInstance, pageHeaders: OutgoingHttpHeaders): void {
  const jsonHeaders = listJsonHeaders(pageHeaders);
  app.addHook('onRequest', (request, reply, done) => {
    // Only calls of the contract have this field (routes/handle.ts).
    reply.headers('refusals' in request.routeOptions.config ? jsonHeaders : pageHeaders);
    done();
  });
}

function observeResponses(app: FastifyInstance, metrics: ProcessMetrics): void {
  app.addHook('onResponse', (request, reply, done) => {
    // Logs the route pattern, because the address may contain personal data.
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
