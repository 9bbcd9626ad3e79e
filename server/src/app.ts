// Builds the HTTP server of the portal, a Fastify application. Does not open a port or read environment variables.
import type { PageSettings } from '@portal/contract';
import fastify, { type FastifyBaseLogger, type FastifyInstance, LogController } from 'fastify';
import { serializerCompiler, validatorCompiler } from 'fastify-type-provider-zod';
import type { Logger } from 'pino';
import * as z from 'zod';
import type { AuthService } from './auth/auth-service.ts';
import { type BrandSettings, brandStyles } from './brand.ts';
import { handleImportFiles, handleImports } from './bulk/routes.ts';
import type { UploadTools, WorkTools } from './bulk/run-bulk.ts';
import type { Config } from './config.ts';
import type { Database } from './db/database.ts';
import { handleGrants, handleWhy } from './features/access/routes.ts';
import type { RandomBytes } from './features/codes/codes.ts';
import { handleBatches, handleCoupons } from './features/codes/routes.ts';
import { handleCohorts } from './features/cohorts/routes.ts';
import { handleStats } from './features/dashboard/routes.ts';
import { handleExports } from './features/exports/routes.ts';
import { handleAudit } from './features/log/routes.ts';
import type { RequestMail } from './features/people/mails.ts';
import { handlePeople, handleUsers } from './features/people/routes.ts';
import { handlePrivacy } from './features/privacy/routes.ts';
import { handleProducts } from './features/products/routes.ts';
import { handleRedemption } from './features/redeem/routes.ts';
import { handleFind, handleViewAs } from './features/support/routes.ts';
import { handleSession, handleTeam } from './features/team/routes.ts';
import type { Outbox } from './gateways/mailer.ts';
import { createHandle, type Handle, handleDescription, type VerifyToken } from './http/handle.ts';
import { createRequestIds, listSecurityHeaders, sendRequestId, sendSecurityHeaders } from './http/headers.ts';
import { handleHealth, handleMetrics, handleOutbox, type MetricsOptions } from './http/operations.ts';
import { handlePages } from './http/pages.ts';
import { limitArrival, takeTurns } from './http/request-bodies.ts';
import { findRefusal, sendError } from './http/send-error.ts';
import { handleJobs } from './jobs/routes.ts';
import type { ProcessMetrics } from './metrics/process-metrics.ts';
import { readBuiltPages } from './pages/create-pages.ts';

const BODY_LIMIT_BYTES = 100_000; // requirement A-77

// Maximum length of a path parameter in Fastify's router. The limit is higher than the length of an address that Node
// accepts, so the router never refuses a parameter.
const MAX_ADDRESS_LENGTH = 65_536;

// Time limit for the headers of a request, and again for its body. Without a limit, a request that never ends would
// occupy its connection.
const ARRIVAL_MS = 30_000;
// Time limit for an upload. The largest file has 64 MB, which takes 9 minutes at 1 Mbit/s.
const UPLOAD_MS = 10 * 60_000;

type Settings = 'publicUrl' | 'rateLimits' | 'adminEmails' | 'trustedProxies' | 'codesMasked' | 'timeZone';
type ConfigAndTools = WorkTools & Pick<Config, Settings>;

export type AppOptions = ConfigAndTools & {
  db: Database;
  /**
   * The sign-in service. A hosted service has its own routes, sessions and accounts, which the portal cannot change. So
   * `routes`, `endSessions`, `closeAccount` and `forgetAddress` are null for a hosted
   * service.
   */
  auth: Pick<AuthService, 'describeProofs'> & {
    routes: AuthService['routes'] | null;
    endSessions: AuthService['endSessions'] | null;
    closeAccount: AuthService['closeAccount'] | null;
    forgetAddress: AuthService['forgetAddress'] | null;
    requestMail: RequestMail;
    verify: VerifyToken;
  };
  /** The mails in memory, which /dev/outbox shows. Null if SMTP is configured: the portal then sends its mails. */
  outbox: Outbox | null;
  brand: BrandSettings;
  signIn: PageSettings['sign_in'];
  /** Makes the job worker send due mails immediately. Otherwise the worker finds them at its next poll. */
  wakeMails: () => void;
  randomBytes: RandomBytes;
  uploadTools: UploadTools;
  metrics: ProcessMetrics;
  /** Returns the metrics of all processes of the portal. */
  gatherMetrics: MetricsOptions['gatherMetrics'];
  metricsToken: string | null;
  /** Time limit for the headers of a request, and again for its body. Default: 30 seconds. Only tests set it. */
  arrivalMs?: number;
  log: Logger;
};

/** Returns the application. The caller must open its port, and close the application. */
export async function buildApp(options: AppOptions): Promise<FastifyInstance> {
  const { db, auth, outbox, brand, publicUrl, trustedProxies, metrics, log } = options;
  const { arrivalMs = ARRIVAL_MS } = options;
  z.config(z.locales.en());
  const app = fastify({
    loggerInstance: log as FastifyBaseLogger,
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: 'request_id' }),
    genReqId: createRequestIds(trustedProxies),
    bodyLimit: BODY_LIMIT_BYTES,
    trustProxy: trustedProxies === 0 ? false : (_address: string, hop: number) => hop < trustedProxies,
    // The schema of an endpoint refuses long parameters, with the same response as for any other invalid value.
    routerOptions: { maxParamLength: MAX_ADDRESS_LENGTH },
    forceCloseConnections: 'idle',
    // By default, Fastify responds 503 to requests that arrive during shutdown. The portal still handles such a
    // request, and then closes the connection.
    return503OnClosing: false,
    http: { headersTimeout: arrivalMs, connectionsCheckingInterval: arrivalMs },
    requestTimeout: UPLOAD_MS,
    // Replaces an address with invalid percent-encoding by an address that does not exist. So the response is the same
    // as for any unknown address (R-ROUTE-18, R-API-24).
    rewriteUrl: ({ url = '/' }) => (isDecodable(url) ? url : url.replace(/[?%].*/s, 'malformed')),
  });
  app.setValidatorCompiler(validatorCompiler);
  app.setSerializerCompiler(serializerCompiler);
  app.setErrorHandler(sendError);
  // Refuses text/plain bodies, because forms on other sites can send them without a CORS preflight request.
  app.removeContentTypeParser('text/plain');
  sendRequestId(app);
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
      // Only a logo may be stored, because its address changes with the picture.
      if (!reply.hasHeader('cache-control')) reply.header('cache-control', 'no-store');
      done();
    });
    api.addHook('onResponse', (_request, _reply, done) => {
      metrics.noteCall();
      done();
    });
    if (db.engine === 'embedded') takeTurns(api, { smallBytes: 1_000_000, maxWaitingBytes: 320_000_000 });
    const handle = createHandle(api, db, auth.verify);
    handleCalls(handle, options);
    done();
  });
  handleHealth(app, { db, isStopping: options.isStopping });
  handleMetrics(app, options);
  if (outbox !== null) handleOutbox(app, { outbox, publicUrl });
  await handlePages(app, { ...options, built });
  return app;
}

// Registers all endpoints of the API.
function handleCalls(handle: Handle, options: AppOptions): void {
  const supportEmail = options.brand.brand.support_email;
  const tools = { ...options, ...options.uploadTools, ...options.auth, supportEmail };
  const registrations = [
    ...[handleSession, handleProducts, handleUsers, handleViewAs, handleWhy, handleCoupons, handleBatches],
    ...[handleGrants, handleCohorts, handleRedemption, handleImports, handleImportFiles, handleJobs],
    ...[handleStats, handleTeam, handlePeople, handlePrivacy, handleAudit, handleExports, handleFind],
  ];
  for (const register of registrations) register(handle, tools);
}

function observeResponses(app: FastifyInstance, metrics: ProcessMetrics): void {
  app.addHook('onResponse', (request, reply, done) => {
    // Logs the pattern of the route, for example /api/products/:id, because the address may contain personal data.
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
