// Runs one process of the portal: opens the database, its other parts and the HTTP port, and closes them at the end.
import cluster from 'node:cluster';
import { randomBytes, randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from 'pino';
import { buildApp } from './app.ts';
import { type AuthService, hasNoSigningKeys, openAuthService } from './auth/auth-service.ts';
import { upgradeDatabase } from './backup/create-backup.ts';
import { type BrandSettings, listExampleFields, readBrand } from './brand.ts';
import type { ImportTools } from './bulk/run-bulk.ts';
import { type Config, ConfigError } from './config.ts';
import { createDayOf } from './day.ts';
import type { Database } from './db/database.ts';
import { watchDatabase } from './db/watch-database.ts';
import { makeOwners } from './features/team/team.ts';
import { type HostedAuth, openHostedAuth } from './gateways/hosted-auth.ts';
import { UnfitServiceError } from './gateways/hosted-service.ts';
import { type Mailer, type Outbox, openOutbox, openSmtpMailer } from './gateways/mailer.ts';
import { createJobHandlers } from './jobs/job-handlers.ts';
import { createJobWorker, type JobWorker } from './jobs/job-worker.ts';
import type { RunTools } from './jobs/run-job.ts';
import { openMailPace, type PacedMailer } from './mail/mail-pace.ts';
import { createGatherer } from './metrics/gather-metrics.ts';
import { createProcessMetrics, type ProcessMetrics } from './metrics/process-metrics.ts';
import { openDatabase } from './open-database.ts';
import { readOrMakeSecretKey } from './secret-key.ts';

export type Portal = {
  db: Database;
  /**
   * Stops the portal. With `drain`, the portal first handles requests for a few more seconds, until the proxy uses
   * other processes. `drain` has no effect with the embedded database.
   */
  close(options?: { drain: boolean }): Promise<void>;
};

// A stopping process handles requests for this time. Meanwhile /readyz responds 503, so that the proxy notices the
// stop.
const DRAIN_MS = 5_000;
const CLOSE_GRACE_MS = 10_000;

/** Waiting times that tests shorten. Production uses the defaults. */
export type Waits = { drainMs?: number; arrivalMs?: number };

const now = () => new Date();

/**
 * Opens all parts of the portal one after the other and listens. `close` lets running requests finish, and then closes
 * the parts in reverse order.
 */
export async function startPortal(config: Config, log: Logger, waits: Waits = {}): Promise<Portal> {
  const brand = await readBrand(config.brandFile);
  warnAboutBrand(brand, config, log);
  const { workers } = config;
  const metrics = createProcessMetrics({ worker: cluster.worker?.id ?? 1, workers });
  const db = watchDatabase(await openDatabase(config, (message) => log.warn(message)), {
    note: metrics.noteStatement,
    warn: (slow) => log.warn(slow, 'slow statement'),
  });
  metrics.followConnections(db.countConnections);
  // The parts that are open. `close` closes them in reverse order, even if a later step of the start fails.
  const opened: { close(): Promise<unknown> }[] = [db];
  let stopping = false;
  const isStopping = () => stopping;
  const countCalls = workers > 1 ? null : metrics.countCalls;
  const clock = { now, dayOf: createDayOf(config.timeZone) };
  const importTools = { ...clock, randomBytes, pause, isStopping, countCalls };
  const close = async ({ drain } = { drain: false }) => {
    stopping = true;
    if (drain && config.databaseUrl !== null) await pause(waits.drainMs ?? DRAIN_MS);
    for (const part of opened.reverse().splice(0)) await part.close();
  };
  try {
    const saved = await upgradeDatabase(db, { dataDir: config.dataDir, now: now() });
    if (saved !== null) log.info({ file: saved }, 'The schema was upgraded; a backup from before is kept');
    await makeOwners(db, config.adminEmails);
    const { outbox, mailer } = openMailer(config, { db, log });
    opened.push(mailer);
    const { hosted } = config.auth;
    let jobs: JobWorker | null = null;
    const auth = await (hosted === null
      ? openEmbeddedAuth(config, { db, mailer, brand, log, metrics, wakeJobs: (lane) => jobs?.wake(lane) })
      : openHosted(hosted, log));
    jobs = createPortalJobs(config, { ...clock, db, auth, mailer, brand, importTools, log });
    opened.push(jobs);
    const uploadTools = { ...importTools, randomUuid: randomUUID, runJob: jobs.run };
    const wakeMails = () => jobs?.wake('mail');
    const signIn = describeSignIn(config, auth);
    const app = await buildApp({
      ...config,
      ...importTools,
      db,
      auth,
      outbox,
      brand,
      signIn,
      wakeMails,
      uploadTools,
      metrics,
      arrivalMs: waits.arrivalMs,
      gatherMetrics: createGatherer(metrics.registry),
      log,
    });
    opened.push({ close: () => closeWithin(CLOSE_GRACE_MS, app) });
    await jobs.start();
    await app.listen({ port: config.port, host: config.host });
    if (config.databaseUrl === null) {
      const { serveOperator } = await import('./operator/socket.ts');
      const rotateKeys = 'rotateKeys' in auth ? auth.rotateKeys : null;
      opened.push(await serveOperator(config.dataDir, { ...config, db, uploadTools, rotateKeys }));
    }
    return { db, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Opens the mail server in the settings. If the settings contain no mail server, opens an outbox. */
function openMailer(
  { smtpUrl, mailFrom, smtpPerMinute: perMinute }: Config,
  { db, log }: { db: Database; log: Logger },
): { outbox: Outbox | null; mailer: PacedMailer } {
  const outbox = smtpUrl === null ? openOutbox({ log, now }) : null;
  const direct = outbox ?? openSmtpMailer({ url: smtpUrl ?? '', from: mailFrom ?? '' });
  return { outbox, mailer: openMailPace({ db, mailer: direct, perMinute, now, log }) };
}

function createPortalJobs(
  { publicUrl, retention }: Config,
  tools: Pick<RunTools, 'db' | 'log'> & {
    now: () => Date;
    auth: AuthService | HostedAuth;
    mailer: PacedMailer;
    importTools: ImportTools;
    brand: BrandSettings;
  },
): JobWorker {
  const { auth, mailer, brand } = tools;
  const { name, support_email } = brand.brand;
  const mailBrand = { name, support_email, accent: brand.accent };
  const own = 'jobHandlers' in auth ? auth : { jobHandlers: {}, purgeExpired: async () => undefined };
  const portal = createJobHandlers({
    ...{ ...tools, ...own, publicUrl, retention },
    ...{ brand: mailBrand, sendMail: mailer.send },
  });
  const { isStopping } = tools.importTools;
  const handlers = { ...portal, ...own.jobHandlers };
  return createJobWorker({
    ...tools,
    ...{ handlers, isStopping, now, random: Math.random },
    claimMails: mailer.claim,
  });
}

/**
 * Returns the sign-in settings of the pages. `google` is a getter, because a hosted service may report only after the
 * start that it supports sign-in with Google.
 */
function describeSignIn({ publicUrl, auth: { hosted } }: Config, auth: { readonly google: boolean }) {
  return {
    url: hosted?.url ?? `${publicUrl}/auth/v1`,
    anon_key: hosted?.anonKey ?? null,
    get google() {
      return auth.google;
    },
  };
}

async function openEmbeddedAuth(
  { publicUrl, secretKey, dataDir, rateLimits, auth }: Config,
  parts: { db: Database; mailer: Mailer; log: Logger; wakeJobs: JobWorker['wake'] } & {
    brand: BrandSettings;
    metrics: ProcessMetrics;
  },
): Promise<AuthService> {
  const { brand, metrics, ...given } = parts;
  const key = secretKey ?? (await readOrMakeSecretKey(dataDir, () => hasNoSigningKeys(parts.db)));
  const { name, support_email } = brand.brand;
  return openAuthService({
    ...given,
    brand: { name, support_email, accent: brand.accent },
    settings: { ...auth, publicUrl, secretKey: key, rateLimits },
    now,
    noteSignIn: metrics.noteSignIn,
  });
}

/** Connects to a hosted sign-in service. @throws ConfigError if the portal cannot trust the tokens of this service. */
function openHosted(hosted: NonNullable<Config['auth']['hosted']>, log: Logger): Promise<HostedAuth> {
  return openHostedAuth({ ...hosted, now, log }).catch((error: unknown) => {
    if (!(error instanceof UnfitServiceError)) throw error;
    throw new ConfigError(`AUTH_URL ${error.message}. Example: AUTH_URL=https://project.supabase.co/auth/v1`);
  });
}

/** See `listExampleFields`. */
function warnAboutBrand(brand: BrandSettings, { publicUrl }: Config, log: Logger): void {
  const neutral = listExampleFields(brand, publicUrl);
  // With several workers, one line is enough.
  if (neutral.length > 0 && (cluster.worker?.id ?? 1) === 1)
    log.warn(
      `the pages show examples for ${neutral.join(', ')}: set them in BRAND_FILE, see brand.example.json`,
    );
}

/** Closes the server after its running requests have finished. Connections still open after `graceMs` are closed. */
async function closeWithin(graceMs: number, app: Awaited<ReturnType<typeof buildApp>>): Promise<void> {
  const timer = setTimeout(() => app.server.closeAllConnections(), graceMs);
  await app.close();
  clearTimeout(timer);
}
