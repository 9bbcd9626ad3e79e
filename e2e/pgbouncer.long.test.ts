// Tests the portal behind PgBouncer, mostly in transaction mode, where each transaction may use another connection.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openPostgres } from '../server/src/db/open-postgres.ts';
import { findFreePort, startPostgres } from '../server/test/postgres.ts';
import { openAdmin, redeem, signIn } from './harness/api.ts';
import { openMailbox } from './harness/mailbox.ts';
import { startPortal } from './harness/portal.ts';

const NOBODY_ID = 65_534;
const LEARNERS = Array.from({ length: 24 }, (_, index) => `learner-${index}@learner.example`);
const PRESSES = 4;
// Fewer connections than the portal's pool opens, so that the portal's connections share them.
const SERVER_CONNECTIONS = 3;

const version = readVersion();
const MISSING = 'PgBouncer is not installed';

test('with DATABASE_PREPARE=off every learner gets one code, and no state stays in a session', async ({
  skip,
}) => {
  skip(version === null, MISSING);
  await redeemThroughPooler({ DATABASE_PREPARE: 'off' }, []);
});

test('PgBouncer 1.21 or later supports prepared statements, so no setting is needed', async ({ skip }) => {
  skip(version === null, MISSING);
  skip((version ?? 0) < 1.021, 'PgBouncer is older than 1.21');
  await redeemThroughPooler({}, ['max_prepared_statements = 200']);
});

test('in session mode, where PgBouncer rejects our statement_timeout parameter, no setting is needed', async ({
  skip,
}) => {
  skip(version === null, MISSING);
  await redeemThroughPooler({}, ['pool_mode = session', 'default_pool_size = 60']);
});

async function redeemThroughPooler(env: Record<string, string>, settings: string[]): Promise<void> {
  const server = await startPostgres();
  onTestFinished(server.stop);
  const mailbox = await openMailbox();
  onTestFinished(() => mailbox.close());
  const url = await startPooler(server.port, settings);
  const key = randomBytes(32).toString('base64');
  const portal = await startPortal({
    mailbox,
    env: { DATABASE_URL: url, SECRET_KEY: key, WORKERS: '2', ...env },
  });
  onTestFinished(async () => {
    await portal.stop();
  });

  const admin = await openAdmin(portal);
  const product = await admin.addProduct();
  await admin.addCodes(product, ...LEARNERS.map((_, index) => `CODE-${index}`));
  const tokens: string[] = [];
  for (const email of LEARNERS) {
    await admin.addLearner(email, product);
    tokens.push((await signIn(portal, email)).access_token);
  }
  const presses = Array.from({ length: PRESSES }, () => tokens).flat();
  const codes = await Promise.all(presses.map((token) => redeem(portal.url, product.product_id, token)));
  expect(new Set(codes).size).toBe(LEARNERS.length);
  codes.forEach((code, at) => {
    expect(code).toBe(codes[at % LEARNERS.length]);
  });
  expect(await admin.listAssignedCodes(product)).toHaveLength(LEARNERS.length);
  expect(await countSessionState(server.url)).toEqual({ advisory_locks: 0, temporary_tables: 0 });
  // The portal has logged no error, such as a missing or duplicate prepared statement.
  expect(portal.output()).not.toMatch(/"level":50/);
}

async function countSessionState(url: string): Promise<unknown> {
  const db = await openPostgres({ url });
  const { rows } = await db.query(`
    select (select count(*)::int from pg_locks where locktype = 'advisory') as advisory_locks,
           (select count(*)::int from pg_class where relpersistence = 't') as temporary_tables`);
  await db.close();
  return rows[0];
}

/** Starts PgBouncer for the database on `port`, until the end of the test. Returns PgBouncer's connection string. */
async function startPooler(port: number, settings: string[]): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'portal-pooler-'));
  await chmod(folder, 0o755);
  const listenPort = await findFreePort();
  const lines = [
    '[databases]',
    `postgres = host=127.0.0.1 port=${port} user=postgres`,
    '[pgbouncer]',
    'listen_addr = 127.0.0.1',
    `listen_port = ${listenPort}`,
    'unix_socket_dir =',
    'auth_type = any',
    'pool_mode = transaction',
    `default_pool_size = ${SERVER_CONNECTIONS}`,
    'max_client_conn = 200',
    ...settings,
  ];
  await writeFile(join(folder, 'pgbouncer.ini'), lines.join('\n'));
  // PgBouncer refuses to run as root, so PgBouncer runs as the user `nobody`.
  const identity = process.getuid?.() === 0 ? { uid: NOBODY_ID, gid: NOBODY_ID } : {};
  const child = spawn('pgbouncer', [join(folder, 'pgbouncer.ini')], { ...identity, stdio: 'ignore' });
  onTestFinished(async () => {
    await endProcess(child);
    await rm(folder, { recursive: true });
  });
  await expect.poll(() => accepts(listenPort)).toBe(true);
  return `postgres://postgres@127.0.0.1:${listenPort}/postgres`;
}

async function endProcess(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill('SIGKILL');
  await exited;
}

async function accepts(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}

/**
 * Returns the version of PgBouncer as a number, or null if PgBouncer is not installed. Version 1.21 is returned as
 * 1.021 and version 1.9 as 1.009, so that the newer version 1.21 is the greater number.
 */
function readVersion(): number | null {
  const { stdout } = spawnSync('pgbouncer', ['--version'], { encoding: 'utf8' });
  const found = /PgBouncer (\d+)\.(\d+)/.exec(stdout ?? '');
  return found === null ? null : Number(found[1]) + Number(found[2]) / 1000;
}
