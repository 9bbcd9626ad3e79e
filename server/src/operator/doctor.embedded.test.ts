// Tests script/portal doctor while the portal runs and while it is stopped. Also tests the command's exit status.
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { copyTestDatabase } from '../../test/open-test-database.ts';
import { openTestSignIn, SECRET_KEY } from '../../test/open-test-sign-in.ts';
import { findFreePort } from '../../test/postgres.ts';
import { runOperator } from '../../test/run-operator.ts';
import { createUploadTools } from '../../test/test-jobs.ts';
import type { Database } from '../db/database.ts';
import { openEmbedded } from '../db/open-embedded.ts';
import { serveOperator } from './socket.ts';

let dataDir: string;
let db: Database;
let port: string;
beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'portal-doctor-'));
  await copyTestDatabase(dataDir);
  port = String(await findFreePort());
  db = await openEmbedded(dataDir);
  await (await openTestSignIn(db)).close();
});
afterAll(() => rm(dataDir, { recursive: true, force: true }));

async function runDoctor(env: Record<string, string> = {}): Promise<{ status: number; said: string }> {
  const run = runOperator(['doctor'], { cwd: dataDir, env: { DATA_DIR: dataDir, PORT: port, ...env } });
  return run.then(
    ({ stdout }) => ({ status: 0, said: stdout }),
    (error: { code: number; stdout: string }) => ({ status: error.code, said: error.stdout }),
  );
}

test('a running portal examines its own database for the doctor', async () => {
  const operator = await serveOperator(dataDir, {
    db,
    uploadTools: createUploadTools(db),
    rotateKeys: null,
    adminEmails: [],
    timeZone: 'UTC',
    ...{ host: '127.0.0.1', port: Number(port), publicUrl: `http://localhost:${port}` },
  });
  const { status, said } = await runDoctor();
  expect(said).toMatch(/^ok {4}settings .*\nok {4}database .*embedded, answers\nok {4}schema .*current\n/);
  expect(said).toMatch(/\nok {4}SECRET_KEY .*the portal that runs/);
  expect(said).toMatch(/\nNothing is wrong\.\n$/);
  expect(status).toBe(0);
  // The portal was started with a PORT that this command does not have.
  const elsewhere = await runDoctor({ PORT: '3999' });
  expect(elsewhere.said).toMatch(
    new RegExp(
      `^warn  settings +the portal that runs has PORT=${port}, PUBLIC_URL=http://localhost:${port}, `,
    ),
  );
  expect(elsewhere.said).toContain(`no portal answers at http://127.0.0.1:${port}: `);
  await operator.close();
});

test('a database that is locked gives a finding with the process that locks it', async () => {
  const { status, said } = await runDoctor();
  expect(said).toMatch(/\nWRONG database .*in use by process \d+/);
  expect(status).toBe(1);
});

test('with the portal stopped, the doctor opens the database and tries the key', async () => {
  await db.close();
  const right = await runDoctor({ SECRET_KEY: SECRET_KEY.toString('base64') });
  expect(right.said).toMatch(/\nok {4}SECRET_KEY +it opens/);
  expect(right.status).toBe(0);
  const wrong = await runDoctor({ SECRET_KEY: randomBytes(32).toString('base64') });
  expect(wrong.said).toMatch(
    /\nWRONG SECRET_KEY .*set the one that was in use before(.|\n)*\nOne thing is wrong\.\n$/,
  );
  expect(wrong.status).toBe(1);
});

test('an invalid setting and an unreachable server give exit status 1', async () => {
  expect(await runDoctor({ WORKERS: 'many' })).toEqual({
    status: 1,
    said: expect.stringMatching(/^WRONG settings .*WORKERS must be a whole number/),
  });
  const away = await runDoctor({
    DATABASE_URL: `postgres://127.0.0.1:${port}/portal`,
    SECRET_KEY: SECRET_KEY.toString('base64'),
  });
  expect(away.said).toMatch(/\nWRONG database .*no writable PostgreSQL answers .*ECONNREFUSED/);
  expect(away.status).toBe(1);
});
