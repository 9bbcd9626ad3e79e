// The operator's tool on PostgreSQL: it opens the database itself, beside the processes that run.
import { execFile } from 'node:child_process';
import { tmpdir } from 'node:os';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { decodeProtectedHeader } from 'jose';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestDatabase } from '../../test/open-test-database.ts';
import { createEmail, openTestSignIn, SECRET_KEY, type TestSignIn } from '../../test/open-test-sign-in.ts';
import type { Database } from '../db/database.ts';
import { openPostgres } from '../db/open-postgres.ts';

const OPERATOR = fileURLToPath(import.meta.resolve('../operator.ts'));

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

async function runTool(...args: string[]): Promise<string> {
  const env = { PATH: process.env.PATH, DATABASE_URL: url, SECRET_KEY: SECRET_KEY.toString('base64') };
  const { stdout } = await promisify(execFile)(process.execPath, [OPERATOR, ...args], { cwd: tmpdir(), env });
  return stdout;
}

async function startSession(email: string) {
  const { token } = await signIn.requestMail(email);
  const client = signIn.createClient();
  const { data } = await client.verifyOtp({ type: 'email', token_hash: token });
  return { client, token: data.session?.access_token ?? '', refresh: data.session?.refresh_token };
}

test('sessions of one address end in every process, others live on, and the audit says who did it', async () => {
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

test('a new key signs in the running processes within ten seconds, and old tokens live to their end', async () => {
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
