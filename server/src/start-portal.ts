// One process of the portal: from its configuration to an open port, and back.
import { randomBytes, randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from 'pino';
import { buildApp } from './app.ts';
import { hasNoSigningKeys, openAuthService, revokeSessions } from './auth/auth-service.ts';
import { readBrand } from './brand.ts';
import type { Config } from './config.ts';
import type { Database } from './db/database.ts';
import { migrate } from './db/migrate.ts';
import { openOutbox, openSmtpMailer } from './gateways/mailer.ts';
import { startImportWorker } from './import-worker.ts';
import { openDatabase } from './open-database.ts';
import { serveOperator } from './operator/socket.ts';
import { readOrMakeSecretKey } from './secret-key.ts';
import { startStockWorker } from './stock-worker.ts';
import { createTraffic } from './traffic.ts';
import { setAdmin } from './usecases/set-admin.ts';

const BUILT_IN_ACCENT = '#005f44';

export type Portal = { db: Database; close(): Promise<void> };

const CLOSE_GRACE_MS = 10_000;

const now = () => new Date();

/** Opens everything in order and listens; `close` undoes it in the other order and lets requests under way finish. */
export async function startPortal(config: Config, log: Logger): Promise<Portal> {
  const brand = await readBrand(config.brandFile);
  const db = await openDatabase(config);
  // What was opened, to be closed last first, also when a later step fails.
  const opened: { close(): Promise<unknown> }[] = [db];
  let stopping = false;
  const traffic = createTraffic();
  const importTools = {
    randomBytes,
    randomUuid: randomUUID,
    pause,
    isStopping: () => stopping,
    wasBusy: traffic.wasBusy,
  };
  const close = async () => {
    stopping = true;
    for (const part of opened.reverse().splice(0)) await part.close();
  };
  try {
    await migrate(db);
    for (const email of config.adminEmails) await setAdmin(db, { email, admin: true, actor: 'portal' });
    const outbox = config.smtpUrl === null ? openOutbox({ log, now }) : null;
    const mailer = outbox ?? openSmtpMailer({ url: config.smtpUrl ?? '', from: config.mailFrom ?? '' });
    opened.push(mailer);
    const secretKey =
      config.secretKey ?? (await readOrMakeSecretKey(config.dataDir, () => hasNoSigningKeys(db)));
    const { name, support_email } = brand.brand;
    const auth = await openAuthService({
      db,
      mailer,
      brand: { name, support_email, accent: brand.accent ?? BUILT_IN_ACCENT },
      settings: { ...config.auth, publicUrl: config.publicUrl, secretKey, rateLimits: config.rateLimits },
      now,
      log,
    });
    opened.push(auth);
    const signIn = { url: `${config.publicUrl}/auth/v1`, anon_key: null, google: auth.google };
    const app = await buildApp({
      ...config,
      db,
      auth,
      outbox,
      brand,
      signIn,
      now,
      importTools,
      traffic,
      log,
    });
    opened.push({ close: () => closeWithin(CLOSE_GRACE_MS, app) });
    await app.listen({ port: config.port, host: config.host });
    opened.push(startImportWorker(db, importTools, log));
    opened.push(startStockWorker(db, { now, publicUrl: config.publicUrl, sendMail: mailer.send }, log));
    const signInTools = {
      revokeSessions: (email: string) => revokeSessions({ db }, email),
      rotateKeys: auth.rotateKeys,
    };
    if (config.databaseUrl === null) {
      opened.push(await serveOperator(config.dataDir, { db, importTools, signIn: signInTools }));
    }
    return { db, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Lets requests under way finish, and cuts off those that do not. */
async function closeWithin(graceMs: number, app: Awaited<ReturnType<typeof buildApp>>): Promise<void> {
  const timer = setTimeout(() => app.server.closeAllConnections(), graceMs);
  await app.close();
  clearTimeout(timer);
}
