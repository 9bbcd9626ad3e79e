// Tests script/portal backup and restore on the embedded engine, with the portal running and stopped.
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import {
  copyFile,
  cp,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rm,
  rmdir,
  stat,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { fillDatabase, NO_SIGN_INS, readEverything } from '../../test/fill-database.ts';
import { copyTestDatabase } from '../../test/open-test-database.ts';
import { createEmail, openTestSignIn, type TestSignIn } from '../../test/open-test-sign-in.ts';
import { runLocalCommand, runOperator } from '../../test/run-operator.ts';
import { findTexts } from '../../test/scan-database.ts';
import { createUploadTools } from '../../test/test-jobs.ts';
import type { Database } from '../db/database.ts';
import { openEmbedded } from '../db/open-embedded.ts';
import { setRole } from '../features/team/team.ts';
import { serveOperator } from './socket.ts';

let folder: string;
let dataDir: string;
let target: string;
let db: Database;
let signIn: TestSignIn;
let refreshToken: string;
let unusedLink: string;
let earlierLink: string;
let content: Awaited<ReturnType<typeof readEverything>>;
let publicKey: string;
const secretKey = randomBytes(32);

/** Creates a data folder with sample rows, a secret key and the session of a signed-in learner. */
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'portal-tool-'));
  dataDir = join(folder, 'data');
  target = join(folder, 'target');
  await copyTestDatabase(dataDir);
  db = await openEmbedded(dataDir);
  await fillDatabase(db);
  await writeFile(join(dataDir, 'secret-key'), secretKey.toString('base64'));
  signIn = await openTestSignIn(db, { settings: { secretKey } });
  const client = signIn.createClient();
  const { token } = await signIn.requestMail('owner@example.org');
  const { data } = await client.verifyOtp({ type: 'email', token_hash: token });
  refreshToken = data.session?.refresh_token ?? '';
  const twice = createEmail();
  earlierLink = (await signIn.requestMail(twice)).token;
  signIn.clock.advance(60);
  await signIn.createClient().signInWithOtp({ email: twice });
  await vi.waitUntil(() => signIn.outbox.list().filter((mail) => mail.to === twice).length === 2);
  unusedLink = (await signIn.readMail(twice)).token;
  for (const [email, team_role] of [
    ['owner@example.org', 'owner'],
    ['supporter@example.org', 'support'],
  ] as const)
    await setRole(db, { actor: 'operator', email, team_role }, { adminEmails: [] });
  content = await readEverything(db);
  await runHere(dataDir, 'backup-key', 'secret.key');
  publicKey = /public key: (\w+)/.exec(await readFile(join(folder, 'secret.key'), 'utf8'))?.[1] ?? '';
});

afterAll(() => rm(folder, { recursive: true, force: true }));

/**
 * Runs script/portal with the arguments `args` and the data folder `on`. The working folder is `folder`. Returns the
 * output.
 */
async function runTool(on: string, ...args: string[]): Promise<string> {
  return (await runOperator(args, { cwd: folder, env: { DATA_DIR: on } })).stdout;
}

/** Runs script/portal like `runTool`, but in this process. */
async function runHere(on: string, ...args: string[]): Promise<string> {
  return (await runLocalCommand(args, { cwd: folder, env: { DATA_DIR: on } })).stdout;
}

async function serve() {
  const operator = await serveOperator(dataDir, {
    db,
    uploadTools: createUploadTools(db),
    rotateKeys: null,
    adminEmails: [],
    timeZone: 'UTC',
    publicUrl: 'http://localhost:3000',
    host: '127.0.0.1',
    port: 3000,
  });
  onTestFinished(operator.close);
}

test('a running portal makes the backup, and the tool writes it to the folder of its caller', async () => {
  await serve();
  const said = await runTool(dataDir, 'backup', 'while-it-runs');
  expect(said).toMatch(
    /while-it-runs: \d+ rows in \d+ tables \(schema \d+\), 0\.\d MB, read back and whole\./,
  );
  expect(said).toContain(`${join(dataDir, 'secret-key')}, which is not in it`);
  expect((await stat(join(folder, 'while-it-runs'))).mode & 0o777).toBe(0o600);
  expect(await readdir(join(dataDir, 'backups-under-way'))).toEqual([]);
});

/** Waits until the portal has deleted its temporary backup file. The portal deletes the file after it has sent it. */
async function expectNothingUnderWay(): Promise<void> {
  await expect.poll(() => readdir(join(dataDir, 'backups-under-way'))).toEqual([]);
}

test('script/portal encrypts the backup of a running portal, and no unencrypted file is left', async () => {
  await serve();
  const said = await runHere(dataDir, 'backup', 'encrypted', '--encrypt', '--to', publicKey);
  expect(said).toMatch(/read back and whole\.\nIt is encrypted/);
  expect(await readFile(join(folder, 'encrypted'), 'latin1')).toMatch(/^age-encryption\.org/);
  await expectNothingUnderWay();
  const target = join(folder, 'decrypted');
  await mkdir(target);
  await copyFile(join(dataDir, 'secret-key'), join(target, 'secret-key'));
  await runHere(target, 'restore', 'encrypted', '--key', join(folder, 'secret.key'));
  const restored = await openEmbedded(target);
  onTestFinished(restored.close);
  expect(await readEverything(restored)).toEqual({ ...content, ...NO_SIGN_INS });
});

test('a path that cannot be written gives an error, and no file is left', async () => {
  await serve();
  await expect(runHere(dataDir, 'backup', 'no/where')).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/no\/where cannot be written/),
  });
  await expectNothingUnderWay();
});

test('a restore is refused while the portal runs', async () => {
  await expect(runTool(dataDir, 'restore', 'while-it-runs')).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/in use by process/),
  });
});

test('with the portal stopped, the tool reads the database itself, encrypts it, and refuses to overwrite it', async () => {
  await signIn.close();
  await db.close();
  expect(await runTool(dataDir, 'backup', 'stopped')).toMatch(/read back and whole/);
  const encrypted = await runHere(dataDir, 'backup', 'stopped.age', '--encrypt', '--to', publicKey);
  expect(encrypted).toMatch(/read back and whole\.\nIt is encrypted/);
  expect(await readFile(join(folder, 'stopped.age'), 'latin1')).toMatch(/^age-encryption\.org/);
  await expect(runHere(dataDir, 'restore', 'stopped')).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/not empty/),
  });
});

test('a restore without the SECRET_KEY of the backup is refused with advice, and leaves nothing', async () => {
  await expect(runHere(target, 'restore', 'while-it-runs')).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/do not open with .*target\/secret-key\. Set SECRET_KEY .*--without-keys/),
  });
  expect(existsSync(join(target, 'secret-key'))).toBe(false);
  expect(existsSync(join(target, 'pg'))).toBe(false);
  await cp(target, join(folder, 'keyless'), { recursive: true });
  // A folder stands for a file that this user cannot read; the tests may run as root.
  await mkdir(join(target, 'secret-key'));
  await expect(runHere(target, 'restore', 'while-it-runs')).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/^\S+secret-key is there, but .* cannot read it .*chown portal \S+\n$/),
  });
  expect(existsSync(join(target, 'pg'))).toBe(false);
  await rmdir(join(target, 'secret-key'));
});

test('a restore of another file is refused, and creates no database', async () => {
  await writeFile(join(folder, 'notes'), 'no backup');
  const fresh = join(folder, 'fresh');
  await expect(runHere(fresh, 'restore', 'notes')).rejects.toMatchObject({ code: 1 });
  expect(existsSync(fresh)).toBe(false);
});

test('a restore brings back everything but sessions and mailed links, and lists the team', async () => {
  await copyFile(join(dataDir, 'secret-key'), join(target, 'secret-key'));
  expect(await runTool(target, 'restore', 'while-it-runs')).toMatch(
    /^Restored \d+ rows in \d+ tables of 20.* \(schema \d+\)\. Sessions were not restored: everybody must sign in again\.\nRoles and .*The team:\nowner@example\.org +owner +20\S+\nsupporter@example\.org +support +no sign-in known\n$/,
  );
  const restored = await openEmbedded(target);
  onTestFinished(restored.close);
  expect(content.auth_session).not.toEqual([]);
  expect(content.auth_one_time_token).not.toEqual([]);
  expect(content.auth_earlier_token).not.toEqual([]);
  expect(await readEverything(restored)).toEqual({ ...content, ...NO_SIGN_INS });
  const again = await openTestSignIn(restored, { settings: { secretKey } });
  onTestFinished(again.close);
  const body = { refresh_token: refreshToken };
  expect((await again.call('/token?grant_type=refresh_token', { body })).status).toBe(400);
  for (const token_hash of [unusedLink, earlierLink])
    expect((await again.call('/verify', { body: { type: 'magiclink', token_hash } })).status).toBe(403);
  const { token } = await again.requestMail(createEmail());
  const signedIn = await again.call('/verify', { body: { type: 'magiclink', token_hash: token } });
  expect(signedIn.status).toBe(200);
});

test('R-PRIV-02, R-PRIV-04: people erase asks for the address, and restore --erasures erases the person again', async () => {
  const email = 'supporter@example.org';
  const erase = (input: string) =>
    runOperator(['people', 'erase', email], { cwd: folder, env: { DATA_DIR: target }, input });
  await expect(erase('other@example.org\n')).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/This is not supporter@example\.org\. Nothing was changed\./),
  });
  expect((await erase(` ${email.toUpperCase()}\n`)).stdout).toMatch(/^The person is erased\./);
  await writeFile(join(folder, 'erasures.csv'), await runTool(target, 'people', 'erasures'));
  await writeFile(join(folder, 'wrong.csv'), 'user_id,at\nx,y\n');
  const later = join(folder, 'later');
  await cp(join(folder, 'keyless'), later, { recursive: true });
  await copyFile(join(dataDir, 'secret-key'), join(later, 'secret-key'));
  await expect(runHere(later, 'restore', 'while-it-runs', '--erasures', 'wrong.csv')).rejects.toMatchObject({
    stderr: expect.stringMatching(/line 2 must be a user_id and a time: x,y/),
  });
  const report = await runHere(later, 'restore', 'while-it-runs', '--erasures', 'erasures.csv');
  expect(report).toContain('People erased again: 1.');
  expect(report).not.toContain(email);
  const restored = await openEmbedded(later);
  onTestFinished(restored.close);
  expect(await findTexts(restored, [email], [])).toEqual([]);
});
