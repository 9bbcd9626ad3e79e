// Runs the embedded sign-in service on a real port, without the rest of the portal. Tests control its clock, and read
// its mails from an outbox.
import { randomBytes, randomUUID } from 'node:crypto';
import { GoTrueClient } from '@supabase/auth-js';
import fastify from 'fastify';
import { vi } from 'vitest';
import { type AuthSettings, openAuthService } from '../src/auth/auth-service.ts';
import type { Database } from '../src/db/database.ts';
import { type Mailer, type Outbox, openOutbox } from '../src/gateways/mailer.ts';
import type { JobWorker } from '../src/jobs/job-worker.ts';
import type { PacedMailer } from '../src/mail/mail-pace.ts';
import { createTestJobs } from './test-jobs.ts';

export const PUBLIC_URL = 'https://portal.example.org';
export const CALLBACK = `${PUBLIC_URL}/auth/callback?next=%2Fproduct%2F1`;
export const SECRET_KEY = randomBytes(32);

export type TestSignIn = Awaited<ReturnType<typeof openTestSignIn>>;

// Options for `vi.waitFor`, with which hooks wait for mails. Hooks cannot use `expect.poll`, because only a test may
// call it.
const MAIL_TIMEOUT = { timeout: 30_000 };

type LogLine = { level: 'info' | 'warn' | 'error'; message: string };

/**
 * Starts the sign-in service on a migrated database. The caller must close the service. A test may start several
 * services on one database. These services must share one clock and one outbox, because each of them may send any mail.
 */
export async function openTestSignIn(
  db: Database,
  options: {
    settings?: Partial<AuthSettings>;
    mailer?: Mailer;
    /** Claims the next mails, at the pace that the mail server accepts. */
    claimMails?: PacedMailer['claim'];
    outbox?: Outbox;
    clock?: TestClock;
    port?: number;
  } = {},
) {
  const clock = options.clock ?? createTestClock();
  const lines: LogLine[] = [];
  const note = (level: LogLine['level']) => (_fields: unknown, message?: string) => {
    lines.push({ level, message: message ?? '' });
  };
  const log = { info: note('info'), warn: note('warn'), error: note('error') };
  const outbox = options.outbox ?? openOutbox({ log, now: clock.now });
  let jobs: JobWorker | null = null;
  const service = await openAuthService({
    db,
    mailer: options.mailer ?? outbox,
    brand: { name: 'Alderquay & Sons', accent: '#7a1f5c', support_email: 'help@example.org' },
    settings: {
      publicUrl: PUBLIC_URL,
      secretKey: SECRET_KEY,
      tokenSeconds: 3600,
      linkSeconds: 3600,
      mailIntervalSeconds: 60,
      reuseSeconds: 10,
      sessionIdleDays: 30,
      sessionMaxDays: 180,
      rateLimits: false,
      google: null,
      ...options.settings,
    },
    now: clock.now,
    noteSignIn: () => undefined,
    wakeJobs: (lane) => jobs?.wake(lane),
    log,
  });
  jobs = createTestJobs(db, service.jobHandlers, { now: clock.now, log, claimMails: options.claimMails });
  await jobs.start();
  const app = fastify();
  await app.register(service.routes, { prefix: '/auth/v1' });
  const origin = await app.listen({ port: options.port ?? 0, host: '127.0.0.1' });
  const url = `${origin}/auth/v1`;

  async function call(path: string, init: { method?: string; body?: unknown; headers?: Headers } = {}) {
    return fetch(`${url}${path}`, {
      method: init.method ?? (init.body === undefined ? 'GET' : 'POST'),
      redirect: 'manual',
      headers: {
        ...(init.body === undefined ? {} : { 'content-type': 'application/json' }),
        ...init.headers,
      },
      body: init.body === undefined ? undefined : JSON.stringify(init.body),
    });
  }

  return {
    service,
    jobs,
    clock,
    outbox,
    lines,
    url,
    call,
    /** Returns a client of auth-js, the library that the pages use. Each client has its own storage, like a browser. */
    createClient: (flowType: 'implicit' | 'pkce' = 'implicit') => createClient(url, flowType),
    /**
     * Waits for a mail to `email`. Returns the link, the token and the six-digit code of the newest mail to this
     * address.
     */
    readMail: (email: string) => readMail(outbox, email),
    /**
     * Requests a sign-in mail to `email` and waits for the mail. Returns the link, the token and the six-digit code in
     * the mail.
     */
    requestMail: async (email: string, redirectTo = CALLBACK) => {
      const { error } = await createClient(url).signInWithOtp({
        email,
        options: { emailRedirectTo: redirectTo },
      });
      if (error) throw error;
      return readMail(outbox, email);
    },
    close: async () => {
      await app.close();
      await jobs.close();
    },
  };
}

type Headers = Record<string, string>;

export type TestClock = ReturnType<typeof createTestClock>;

/** Returns a clock that stands still until a test calls `advance`. */
export function createTestClock() {
  let ms = Date.now();
  return {
    now: () => new Date(ms),
    advance: (seconds: number) => {
      ms += seconds * 1000;
    },
  };
}

/** Returns a new e-mail address, which no other test uses. */
export function createEmail(): string {
  return `${randomUUID()}@example.org`;
}

function createClient(url: string, flowType: 'implicit' | 'pkce' = 'implicit') {
  const kept = new Map<string, string>();
  return new GoTrueClient({
    url,
    flowType,
    storageKey: randomUUID(),
    autoRefreshToken: false,
    detectSessionInUrl: false,
    persistSession: true,
    storage: {
      getItem: (key) => kept.get(key) ?? null,
      setItem: (key, value) => void kept.set(key, value),
      removeItem: (key) => void kept.delete(key),
    },
  });
}

async function readMail(outbox: Outbox, email: string) {
  const mail = await vi.waitFor(() => {
    const found = outbox.list().find((candidate) => candidate.to === email);
    if (found === undefined) throw new Error(`no mail to ${email}`);
    return found;
  }, MAIL_TIMEOUT);
  const link = new URL(mail.links[0] ?? '');
  return {
    link,
    token: link.searchParams.get('token_hash') ?? '',
    redirect_to: link.searchParams.get('redirect_to') ?? '',
    code: /^\d{6}$/m.exec(mail.text)?.[0] ?? '',
  };
}
