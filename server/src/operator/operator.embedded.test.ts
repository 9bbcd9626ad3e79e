import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { copyTestDatabase } from '../../test/open-test-database.ts';
import { createEmail, openTestSignIn, SECRET_KEY } from '../../test/open-test-sign-in.ts';
import { parseRequest, runCommandLine } from '../../test/run-command-line.ts';
import { runOperator } from '../../test/run-operator.ts';
import { createUploadTools } from '../../test/test-jobs.ts';
import type { Database } from '../db/database.ts';
import { openEmbedded } from '../db/open-embedded.ts';
import { findUser, linkAuthIdentity } from '../features/people/people.sql.ts';
import type { OperatorRequest } from './command.ts';
import { askRunningPortal, serveOperator } from './socket.ts';

let dataDir: string;
let db: Database;
beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'portal-operator-'));
  await copyTestDatabase(dataDir);
  db = await openEmbedded(dataDir);
});
afterAll(() => rm(dataDir, { recursive: true, force: true }));

async function runTool(...args: string[]) {
  return runToolWith({}, ...args);
}

async function runToolWith(env: Record<string, string>, ...args: string[]) {
  return runOperator(args, { cwd: dataDir, env: { DATA_DIR: dataDir, ...env } });
}

/** Sends a command to the running portal as script/portal does, but from this process, which takes less time. */
async function ask(...args: string[]) {
  return askRunningPortal(dataDir, parseRequest(args, { folder: dataDir }));
}

/** The tools of a portal with a hosted sign-in service. */
const toolsOf = (opened: Database): Parameters<typeof serveOperator>[1] => ({
  db: opened,
  uploadTools: createUploadTools(opened),
  rotateKeys: null,
  adminEmails: [],
  timeZone: 'UTC',
  publicUrl: 'https://benefits.example.org',
  host: '127.0.0.1',
  port: 3000,
});

const TOOLS = 'name,description,url\nTool,Text,tool.example\n,Text,tool.example\n';
const DRY_RUN = `Dry run: nothing was imported. The import would report:
2 rows: 1 created, 0 duplicates, 1 failed
  line 3: name is missing
`;
const WITH_SECRET_KEY = { SECRET_KEY: SECRET_KEY.toString('base64') };

test('in the running portal the tool ends sessions and rotates keys, with immediate effect', async () => {
  const signIn = await openTestSignIn(db);
  const operator = await serveOperator(dataDir, {
    ...toolsOf(db),
    rotateKeys: signIn.service.rotateKeys,
  });
  const email = createEmail();
  const { token } = await signIn.requestMail(email);
  const client = signIn.createClient();
  await client.verifyOtp({ type: 'email', token_hash: token });

  const rotated = await runTool('keys', 'rotate');
  const { keys } = (await (await signIn.call('/.well-known/jwks.json')).json()) as {
    keys: { kid: string }[];
  };
  expect(keys).toHaveLength(2);
  expect(rotated.stdout).toContain(`The key ${keys[0]?.kid} signs from now on`);
  expect((await client.getUser()).data.user?.email).toBe(email);

  expect((await runTool('sessions', 'revoke', email.toUpperCase())).stdout).toBe(
    `One session of ${email} ended. Links and codes mailed before are worthless.\n`,
  );
  expect((await client.getUser()).error?.name).toBe('AuthSessionMissingError');
  expect(await ask('sessions', 'revoke', email, '--unlink')).toBe(
    `${email} was not signed in. Links and codes mailed before are worthless. No Google account was linked.`,
  );
  expect(await ask('keys', 'rotate', '--revoke')).toMatch(/Tokens of older keys are refused/);
  expect(await (await signIn.call('/.well-known/jwks.json')).json()).toMatchObject({ keys: [{}] });
  expect(await listAuditLines()).toEqual([
    { actor: 'operator', action: 'signing_key.rotate' },
    { actor: 'operator', action: 'session.revoke' },
    { actor: 'operator', action: 'session.revoke' },
    { actor: 'operator', action: 'signing_key.rotate' },
  ]);
  await operator.close();
  await signIn.close();
});

async function listAuditLines() {
  const { rows } = await db.query(
    `select actor, action from audit where action in ('session.revoke', 'signing_key.rotate') order by id`,
  );
  return rows;
}

test('with a hosted sign-in service, the commands for sessions and keys are refused', async () => {
  const operator = await serveOperator(dataDir, toolsOf(db));
  const before = await listAuditLines();
  for (const args of [
    ['sessions', 'revoke', 'ada@example.org'],
    ['keys', 'rotate'],
  ]) {
    await expect(ask(...args)).rejects.toMatchObject({
      name: 'OperatorError',
      message: expect.stringMatching(
        /^(Sessions|Signing keys) are the business of the hosted sign-in service \(AUTH_URL\)/,
      ),
    });
  }
  expect(await listAuditLines()).toEqual(before);
  await operator.close();
});

// One running portal serves all tests of refused commands, because opening a database for each test would be slow.
describe('in the running portal', () => {
  let operator: Awaited<ReturnType<typeof serveOperator>>;
  beforeAll(async () => {
    await writeFile(join(dataDir, 'tools.csv'), TOOLS);
    operator = await serveOperator(dataDir, toolsOf(db));
  });
  afterAll(() => operator.close());

  // Sends each command to the portal as script/portal does: together with the text of the file in the command's
  // arguments.
  test.each([
    [['import', 'coupons', 'tools.csv'], /needs one product named by --product/],
    [['import', 'users'], /needs at least one product/],
    [['codes', 'void', 'tools.csv', '--all', '--product', 'x'], /Name a CSV file of codes, or say --all/],
    [['codes', 'void', 'tools.csv', '--product', 'x'], /^Product not found/],
    [['admin', 'add'], /Name one e-mail address/],
    [['admin', 'add', 'nobody'], /Name one e-mail address, .*got: nobody/],
    [
      ['admin', 'add', 'ada@example.org', '--role', 'boss'],
      /owner, manager, support or viewer \(got: boss\)/,
    ],
    [['admin', 'add', 'ada@example.org', '--role'], /owner, manager, support or viewer \(got: \)/],
    [['admin', 'list', 'ada@example.org'], /admin list takes nothing/],
    [['sessions', 'revoke'], /Name one e-mail address/],
    [['sessions', 'revoke', 'ada@example.org', 'eve@example.org'], /Name one e-mail address/],
    [['sessions'], /Unknown command: sessions\nUsage:/],
    [['keys', 'rotate', 'now'], /takes --revoke and nothing more \(got: now\)/],
    [['audit', 'prune'], /--before needs a day, such as 2024-01-01 \(got: nothing\)/],
    [['fly'], /Unknown command: fly\nUsage:/],
    [['constructor'], /Unknown command: constructor\nUsage:/],
    [['__proto__'], /Unknown command: __proto__\nUsage:/],
  ])('wrong arguments are refused: %s', async (args, message) => {
    const file = args.includes('tools.csv') ? { name: 'tools.csv', text: TOOLS } : undefined;
    const send = async () => askRunningPortal(dataDir, parseRequest(args, { folder: dataDir, file }));
    await expect(send()).rejects.toMatchObject({
      name: 'OperatorError',
      message: expect.stringMatching(message),
    });
  });

  // A script/portal of another version may send such calls.
  test.each([
    [{ command: 'fly' }, /^Unknown command: fly$/],
    [{ command: 'constructor' }, /^Unknown command: constructor$/],
    [
      { command: 'import products', args: ['tools.csv'], options: { 'dry-run': true } },
      /^script\/portal import products: unknown option 'dry-run'\.$/,
    ],
    [{ command: 'admin add', args: ['nobody'] }, /^Name one e-mail address, .*got: nobody/],
    [{ command: 'admin list', args: ['x'] }, /^admin list takes nothing \(got: x\)/],
    [{ command: 'keys rotate', options: { revoke: 'yes' } }, /^--revoke takes no value \(got: yes\)/],
    [{ command: 'import products', args: ['tools.csv'] }, /^The content of the CSV file is missing/],
    [{ command: 'admin list', args: 'x' }, /of another version than script\/portal/],
  ])('the portal itself refuses the call %o', async (call, message) => {
    const sent = { args: [], options: {}, folder: dataDir, ...call } as OperatorRequest;
    await expect(askRunningPortal(dataDir, sent)).rejects.toMatchObject({
      name: 'OperatorError',
      message: expect.stringMatching(message),
    });
  });

  test('a dry run shows what the import would do, and imports nothing', async () => {
    const before = await db.query('select from bulk_job');
    expect((await runTool('import', 'products', 'tools.csv', '--dry-run')).stdout).toBe(DRY_RUN);
    expect((await db.query('select from product')).rows).toEqual([]);
    expect((await db.query('select from bulk_job')).rows).toEqual(before.rows);
  });

  test('R-MAP-13: an import takes the encoding of its file, and names it', async () => {
    const command = ['import', 'products', 'tools.csv', '--dry-run', '--encoding'];
    expect((await runTool(...command, 'macintosh')).stdout).toContain('\nRead as Mac Roman.');
    await expect(runTool(...command, 'latin9')).rejects.toThrow('--encoding is one of utf-8, ');
  });

  test.each([
    [['fly'], /^Unknown command: fly\nUsage:/],
    [['codes', 'void', 'tools.csv', '--product', 'x'], /^Product not found/],
  ])('the tool prints a refusal to stderr and exits with status 1: %s', async (args, message) => {
    await expect(runTool(...args)).rejects.toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(message),
    });
  });
});

test('with the portal running, the tool uses a socket that only its owner may open', async () => {
  const operator = await serveOperator(dataDir, toolsOf(db));
  expect((await stat(join(dataDir, 'portal.sock'))).mode & 0o777).toBe(0o600);
  expect((await runTool('admin', 'add', 'Ada@Example.org')).stdout).toBe(
    'ada@example.org is now an administrator.\nStaff sign in at https://benefits.example.org/admin-login\n',
  );
  expect(await findUser(db, 'ada@example.org')).toMatchObject({ user_role: 'admin' });
  await operator.close();
  await db.close();
});

test('an unknown command creates no database', async () => {
  const fresh = join(dataDir, 'fresh');
  await expect(runToolWith({ DATA_DIR: fresh }, 'fly')).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/^Unknown command: fly\n/),
  });
  expect(existsSync(fresh)).toBe(false);
});

test('R-DAY-53: with the portal stopped, the tool opens the database itself, and says where staff sign in', async () => {
  expect((await runTool('admin', 'add', 'ada@example.org')).stdout).toMatch(
    /already.*\nStaff sign in at http:\/\/localhost:3000\/admin-login\n$/,
  );
  expect((await runTool('admin', 'remove', 'ada@example.org')).stdout).toMatch(/no longer/);
});

test('R-TEAM-15: roles are given, listed and taken; the last owner who has signed in keeps the role without --force', async () => {
  const opened = await openEmbedded(dataDir);
  onTestFinished(opened.close);
  const run = (...args: string[]) => runCommandLine(toolsOf(opened), args);
  expect(await run('admin', 'list')).toBe('Nobody has a role yet.');
  await run('admin', 'add', 'ada@example.org');
  expect(await run('admin', 'add', '--role', 'support', 'bo@example.org')).toBe(
    'bo@example.org is now an administrator, with the role support.\nStaff sign in at https://benefits.example.org/admin-login',
  );
  expect(await run('admin', 'list')).toBe(
    'ada@example.org  owner    no sign-in known\nbo@example.org   support  no sign-in known',
  );
  const ada = await findUser(opened, 'ada@example.org');
  await linkAuthIdentity(opened, { user_id: ada?.id ?? '', auth_id: randomUUID() });
  for (const command of [
    ['admin', 'remove', 'ada@example.org'],
    ['admin', 'add', 'ada@example.org', '--role', 'viewer'],
  ])
    await expect(run(...command)).rejects.toMatchObject({
      name: 'OperatorError',
      message: expect.stringMatching(/^ada@example\.org is the last owner who can sign in\./),
    });
  expect(await run('admin', 'remove', '--force', 'ada@example.org')).toMatch(/no longer/);
  await run('admin', 'remove', 'bo@example.org');
});

test('removing an unknown administrator creates no user, and exits with status 1', async () => {
  await expect(runTool('admin', 'remove', 'Ghost@Example.org')).rejects.toMatchObject({
    code: 1,
    stdout: '',
    stderr: 'Nobody is known by ghost@example.org. Nothing was changed.\n',
  });
  const opened = await openEmbedded(dataDir);
  expect(await findUser(opened, 'ghost@example.org')).toBeNull();
  await opened.close();
});

test('with the portal stopped, the tool ends sessions and rotates keys itself, with the SECRET_KEY of the database', async () => {
  expect((await runTool('sessions', 'revoke', 'ada@example.org')).stdout).toMatch(/was not signed in/);
  expect((await runToolWith(WITH_SECRET_KEY, 'keys', 'rotate')).stdout).toMatch(/^The key \S{43} signs/);
  await expect(runTool('keys', 'rotate')).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/secret-key is gone/),
  });
  const other = { SECRET_KEY: Buffer.alloc(32).toString('base64') };
  await expect(runToolWith(other, 'keys', 'rotate')).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/^SECRET_KEY is not the one/),
  });
});

test('with a hosted sign-in service configured, the stopped tool refuses as the running portal does', async () => {
  const hosted = { ...WITH_SECRET_KEY, AUTH_URL: 'http://127.0.0.1:9/auth/v1' };
  await expect(runToolWith(hosted, 'keys', 'rotate')).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/are the business of the hosted sign-in service \(AUTH_URL\)/),
  });
});

test('a file is imported like on the page; its path is relative to the folder of the caller', async () => {
  await writeFile(join(dataDir, 'tools.csv'), TOOLS);
  const { stdout } = await runTool('import', 'products', 'tools.csv');
  expect(stdout).toBe('2 rows: 1 created, 0 duplicates, 1 failed\n  line 3: name is missing\n');
  await expect(runTool('import', 'products', 'gone.csv')).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/^gone.csv cannot be read/),
  });
});

test('help names every command', async () => {
  const { stdout } = await runTool('--help');
  for (const usage of ['admin add <e-mail>', 'sessions revoke <e-mail>', 'keys rotate']) {
    expect(stdout).toContain(usage);
  }
  expect((await runTool('keys', 'rotate', '--help')).stdout).toMatch(
    /^Usage: script\/portal keys rotate \[--revoke\]\n\n(.+\n)+\nOptions:\n {2}--revoke .*\n {2}-h, --help .*\n$/,
  );
  expect((await runTool()).stdout).toBe(stdout);
});
