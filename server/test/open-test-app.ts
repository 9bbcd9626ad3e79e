// Builds the whole portal on a new database. The portal opens no port: tests inject requests directly, and read mails
// from the outbox.
import { randomBytes, randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { Endpoint, TeamRole } from '@portal/contract';
import type { FastifyInstance, InjectOptions } from 'fastify';
import { type Logger, pino } from 'pino';
import { vi } from 'vitest';
import { buildApp } from '../src/app.ts';
import { openAuthService } from '../src/auth/auth-service.ts';
import { readBrand } from '../src/brand.ts';
import type { Database } from '../src/db/database.ts';
import { watchDatabase } from '../src/db/watch-database.ts';
import { setRole } from '../src/features/team/team.ts';
import { type Mailer, openOutbox } from '../src/gateways/mailer.ts';
import { createImportHandler, createJobHandlers } from '../src/jobs/job-handlers.ts';
import type { JobWorker } from '../src/jobs/job-worker.ts';
import { createGatherer } from '../src/metrics/gather-metrics.ts';
import { createProcessMetrics } from '../src/metrics/process-metrics.ts';
import { utcDayOf } from './factories.ts';
import { openTestDatabase } from './open-test-database.ts';
import { createTestJobs, TEST_IMPORT_TOOLS } from './test-jobs.ts';

// Options for `vi.waitUntil`, with which hooks wait for mails. Hooks cannot use `expect.poll`, because only a test may
// call it.
const MAIL_TIMEOUT = { timeout: 30_000, interval: 10 };

export type Answer = { status: number; body: unknown; headers: Record<string, unknown> };

export type TestApp = {
  app: FastifyInstance;
  db: Database;
  /** Sends a request with `body` as JSON and with the access token `token`, if they are given. Parses the response, unless it is CSV. */
  call(
    method: Endpoint['method'],
    url: string,
    options?: { token?: string; body?: unknown },
  ): Promise<Answer>;
  /**
   * Signs in with the link of a sign-in mail. `mailedTo` is the address of the mail if it differs from the typed one.
   * Returns the access token.
   */
  signIn(email: string, mailedTo?: string): Promise<string>;
  /** Makes `email` an administrator and signs in as this administrator. Returns the access token. */
  signInAdmin(email?: string, team_role?: TeamRole): Promise<string>;
  /** Makes the job worker look for due mails now. Otherwise it looks only when a request enqueues a mail. */
  wakeMails(): void;
  close(): Promise<void>;
};

type TestAppOptions = {
  /**
   * Returns the mailer that sends all mails of the portal. Without it, mails other than sign-in mails stay in the
   * job queue.
   */
  mailer?: (outbox: Mailer) => Mailer;
  mailIntervalSeconds?: number;
  rateLimits?: boolean;
  codesMasked?: boolean;
  trustedProxies?: number;
  metricsToken?: string | null;
  publicUrl?: string;
  isStopping?: () => boolean;
  /** Called after each chunk of an import or step of a bulk action, which then waits for the promise. */
  pauseImport?: () => Promise<unknown>;
  /** The clock of the calls. Sign-in, mails and jobs keep the real time. */
  clock?: () => Date;
  /**
   * Logger of all parts of the portal except the outbox. The outbox must not use this logger, because the outbox would
   * write each mail to the log.
   */
  log?: Logger;
};

export async function openTestApp({
  mailer: openMailer,
  mailIntervalSeconds = 0,
  rateLimits = false,
  codesMasked = false,
  trustedProxies = 0,
  metricsToken = null,
  publicUrl = 'http://localhost:3000',
  isStopping = () => false,
  pauseImport = async () => undefined,
  clock = () => new Date(),
  log = pino({ level: 'silent' }),
}: TestAppOptions = {}): Promise<TestApp> {
  const metrics = createProcessMetrics({ worker: 1, workers: 1 });
  const db = watchDatabase(await openTestDatabase(), {
    note: metrics.noteStatement,
    warn: (slow) => log.warn(slow, 'slow statement'),
  });
  metrics.followConnections(db.countConnections);
  const now = () => new Date();
  const outbox = openOutbox({ log: pino({ level: 'silent' }), now });
  const mailer = openMailer?.(outbox) ?? outbox;
  const brand = await readBrand(null);
  const times = {
    tokenSeconds: 3600,
    linkSeconds: 3600,
    mailIntervalSeconds,
    reuseSeconds: 10,
    sessionIdleDays: 30,
    sessionMaxDays: 180,
  };
  const mailBrand = { name: 'Academy', accent: '#005f44', support_email: 'help@example.org' };
  const tools = { now, importTools: { ...TEST_IMPORT_TOOLS, isStopping, pause: pauseImport } };
  let jobs: JobWorker | null = null;
  const auth = await openAuthService({
    db,
    mailer,
    brand: mailBrand,
    settings: { ...times, publicUrl, secretKey: randomBytes(32), rateLimits, google: null },
    now,
    noteSignIn: metrics.noteSignIn,
    wakeJobs: (lane) => jobs?.wake(lane),
    log,
  });
  jobs = createTestJobs(
    db,
    {
      ...(openMailer &&
        createJobHandlers({
          ...{ ...tools, db, ...auth, sendMail: mailer.send, publicUrl, brand: mailBrand },
          retention: { importDays: 0, mailDays: 0 },
        })),
      ...auth.jobHandlers,
      import: createImportHandler(db, tools.importTools),
    },
    { log },
  );
  const signInService = { url: `${publicUrl}/auth/v1`, anon_key: null, google: false };
  const options = {
    db,
    auth,
    outbox,
    brand,
    signIn: signInService,
    wakeMails: () => jobs?.wake('mail'),
    publicUrl,
    rateLimits,
    adminEmails: [],
    trustedProxies,
    codesMasked,
  };
  const app = await buildApp({
    ...options,
    now: clock,
    dayOf: utcDayOf,
    timeZone: 'UTC',
    pause,
    countCalls: () => 0,
    isStopping,
    randomBytes,
    uploadTools: { now: clock, dayOf: utcDayOf, randomUuid: randomUUID, runJob: jobs.run },
    metrics,
    gatherMetrics: createGatherer(metrics.registry),
    metricsToken,
    log,
  });

  const call: TestApp['call'] = async (method, url, { token, body } = {}) => {
    const request: InjectOptions = { method, url, headers: { host: 'localhost:3000' } };
    if (token !== undefined) request.headers = { ...request.headers, authorization: `Bearer ${token}` };
    if (body !== undefined) request.payload = body as InjectOptions['payload'];
    const response = await app.inject(request);
    const isFile = /^(?:text\/csv|application\/vnd)/.test(`${response.headers['content-type']}`);
    const read = isFile ? response.body : response.json();
    return { status: response.statusCode, body: read, headers: response.headers };
  };

  const signIn = async (typed: string, email = typed): Promise<string> => {
    const earlier = new Set(outbox.list());
    await call('POST', '/auth/v1/otp', { body: { email: typed } });
    const link = await vi.waitUntil(
      () => outbox.list().find((mail) => mail.to === email && !earlier.has(mail))?.links[0],
      MAIL_TIMEOUT,
    );
    const token_hash = new URL(link).searchParams.get('token_hash');
    const verified = await call('POST', '/auth/v1/verify', { body: { type: 'magiclink', token_hash } });
    // The worker writes an audit line when the mail was sent. A test must not find this line later, among its own.
    await vi.waitUntil(async () => (await countMailJobs(db, email)) === 0, MAIL_TIMEOUT);
    return (verified.body as { access_token: string }).access_token;
  };

  return {
    app,
    db,
    call,
    signIn,
    signInAdmin: async (email = 'staff@example.org', team_role: TeamRole = 'owner') => {
      await setRole(db, { actor: 'operator', email, team_role }, { adminEmails: [] });
      return signIn(email);
    },
    wakeMails: options.wakeMails,
    close: async () => {
      await app.close();
      await jobs.close();
      await db.close();
    },
  };
}

async function countMailJobs(db: Database, email: string): Promise<number> {
  const { rows } = await db.query("select 1 from job where kind = 'sign-in-mail' and key = $1", [email]);
  return rows.length;
}
