// Tests script/portal on PostgreSQL. On PostgreSQL, script/portal opens the database itself, even while processes of
// the portal run.
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { decodeProtectedHeader } from 'jose';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { addProduct } from '../../test/factories.ts';
import { createForeignDatabase, createTestDatabase } from '../../test/open-test-database.ts';
import { createEmail, openTestSignIn, SECRET_KEY, type TestSignIn } from '../../test/open-test-sign-in.ts';
import { findFreePort } from '../../test/postgres.ts';
import { readTables } from '../../test/read-tables.ts';
import { runOperator } from '../../test/run-operator.ts';
import type { Database } from '../db/database.ts';
import { openPostgres } from '../db/open-postgres.ts';

let url: string;
let db: Database;
let signIn: TestSignIn;

beforeAll(async () => {
  url = await createTestDatabase();
  db = await openPostgres({ url });
  signIn = await openTestSignIn(db);
});

afterAll(async () => {
  await signIn.close();
  await db.close();
});

function runTool(...args: string[]): Promise<string> {
  return runToolWith({}, ...args);
}

async function runToolWith(changes: Record<string, string>, ...args: string[]): Promise<string> {
  const key = SECRET_KEY.toString('base64');
  const env = { DATABASE_URL: url, SECRET_KEY: key, ...changes };
  return (await runOperator(args, { cwd: tmpdir(), env })).stdout;
}

async function startSession(email: string) {
  const { token } = await signIn.requestMail(email);
  const client = signIn.createClient();
  const { data } = await client.verifyOtp({ type: 'email', token_hash: token });
  return { client, token: data.session?.access_token ?? '', refresh: data.session?.refresh_token };
}

test('the sessions of one address end in every process, others stay, and the audit log names the actor', async () => {
  const [email, other] = [createEmail(), createEmail()];
  const mine = await startSession(email);
  const theirs = await startSession(other);
  expect(await runTool('sessions', 'revoke', email)).toMatch(/^One session of .* ended\./);
  expect((await mine.client.getUser()).error?.name).toBe('AuthSessionMissingError');
  const refreshed = await signIn.call('/token?grant_type=refresh_token', {
    body: { refresh_token: mine.refresh },
  });
  expect(refreshed.status).toBe(400);
  expect((await theirs.client.getUser()).data.user?.email).toBe(other);
  const { rows } = await db.query(`select actor, detail from audit where action = 'session.revoke'`);
  expect(rows).toEqual([{ actor: 'operator', detail: { email, sessions: 1, unlinked: 0 } }]);
});

test('a new key signs in the running processes within ten seconds, and old tokens stay valid until they expire', async () => {
  const old = await startSession(createEmail());
  const said = await runTool('keys', 'rotate');
  signIn.clock.advance(60);
  const fresh = await startSession(createEmail());
  const { kid } = decodeProtectedHeader(fresh.token);
  expect(kid).not.toBe(decodeProtectedHeader(old.token).kid);
  expect(said).toContain(`The key ${kid} signs from now on`);
  for (const { token } of [old, fresh]) expect(await signIn.service.verify(token)).not.toBeNull();
  const { rows } = await db.query(`select actor, detail from audit where action = 'signing_key.rotate'`);
  expect(rows).toEqual([{ actor: 'operator', detail: { kid, revoke: false } }]);
});

test('a backup of the running portal is restored into an empty database with its SECRET_KEY, and sessions end', async () => {
  const session = await startSession(createEmail());
  const folder = await mkdtemp(join(tmpdir(), 'portal-operator-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const file = join(folder, 'portal.backup');
  expect(await runTool('backup', file)).toMatch(/read back and whole/);
  await expect(runTool('restore', file)).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/not empty.*createdb/),
  });

  const DATABASE_URL = await createTestDatabase('template0');
  const other = { DATABASE_URL, SECRET_KEY: randomBytes(32).toString('base64') };
  await expect(runToolWith(other, 'restore', file)).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/do not open with SECRET_KEY/),
  });
  expect(await runToolWith({ DATABASE_URL }, 'restore', file)).toMatch(/everybody must sign in again/);
  const restored = await openPostgres({ url: DATABASE_URL });
  onTestFinished(() => restored.close());
  const again = await openTestSignIn(restored, { clock: signIn.clock });
  onTestFinished(again.close);
  const body = { refresh_token: session.refresh };
  expect((await again.call('/token?grant_type=refresh_token', { body })).status).toBe(400);
});

test('a dry run of an import writes nothing while processes run', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'portal-operator-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const file = join(folder, 'users.csv');
  await writeFile(file, 'email\nada@example.org\nada@example.org\nnobody\n');
  const product = await addProduct(db);
  const before = await readTables(db);
  const command = ['import', 'users', file, '--product', product.product_id];
  const dry = await runTool(...command, '--dry-run');
  expect(await readTables(db)).toEqual(before);
  expect(dry).toMatch(
    /^Dry run: nothing was imported\. .*\n3 rows: 1 created, 1 duplicates, 1 failed, 1 product/,
  );
  expect(dry).toContain(await runTool(...command));
});

test('the doctor finds nothing wrong while processes run, and finds a wrong SECRET_KEY', async () => {
  const PORT = String(await findFreePort());
  expect(await runToolWith({ PORT }, 'doctor')).toMatch(
    /\nok {4}database .*answers\nok {4}schema .*\nok {4}writes .*\nok {4}clock .*\nok {4}free codes .*\nok {4}SECRET_KEY (.|\n)*\nNothing is wrong\.\n$/,
  );
  const SECRET_KEY = randomBytes(32).toString('base64');
  await expect(runToolWith({ PORT, SECRET_KEY }, 'doctor')).rejects.toMatchObject({
    code: 1,
    stdout: expect.stringMatching(/\nWRONG SECRET_KEY /),
  });
});

test('the doctor finds that the database user may not create tables', async () => {
  const changes = { DATABASE_URL: await createForeignDatabase(), PORT: String(await findFreePort()) };
  await expect(runToolWith(changes, 'doctor')).rejects.toMatchObject({
    code: 1,
    stdout: expect.stringMatching(
      /\nWRONG schema +DATABASE_URL: its user may not make tables there\. .*createdb -O <user>/,
    ),
  });
});
