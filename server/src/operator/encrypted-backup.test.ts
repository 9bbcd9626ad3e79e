// Tests script/portal backup --encrypt, backup-key and restore of encrypted backups, on PostgreSQL. The test
// back-up.embedded.test.ts makes encrypted backups on the embedded engine. Few tests use a passphrase, because deriving
// its key takes seconds.

import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { fillDatabase, NO_SIGN_INS, readEverything } from '../../test/fill-database.ts';
import { createTestDatabase, openTestPostgres } from '../../test/open-test-database.ts';
import { runLocalCommand, runOperator } from '../../test/run-operator.ts';
import { SPAWN_ENV } from '../../test/spawn-env.ts';
import type { Database } from '../db/database.ts';
import { readSchemaVersion } from '../db/migrate.ts';
import { openEmbedded } from '../db/open-embedded.ts';

const PASSPHRASE = 'correct horse battery staple';
const SECRET_KEY = Buffer.alloc(32, 7).toString('base64');

/** A database. `env` are the variables with which script/portal opens the database. */
type Place = { env: Record<string, string>; open: () => Promise<Database> };

let folder: string;
let source: Place;
let content: Awaited<ReturnType<typeof readEverything>>;
let publicKey: string;
/** Output of the two `backup` commands. */
let reports: { passphrase: string; key: string };

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'portal-encrypted-'));
  source = await createPlace();
  content = await withDatabase(source, async (db) => {
    await fillDatabase(db);
    return readEverything(db);
  });
  const made = await runTool(source, ['backup-key', 'secret.key']);
  publicKey = /^Public key: (age1\w+)$/m.exec(made)?.[1] ?? '';
  await runHere(source, ['backup-key', 'other.key']);
  await writeFile(join(folder, 'recipients'), `# the safe\n\n${publicKey}\n`);
  reports = {
    passphrase: await runHere(source, ['backup', 'by-passphrase.age', '--encrypt'], {
      BACKUP_PASSPHRASE: PASSPHRASE,
    }),
    key: await runTool(source, ['backup', 'by-key.age', '--encrypt', '--to', 'recipients']),
  };
});

afterAll(() => rm(folder, { recursive: true, force: true }));

/** Creates a PostgreSQL database: a migrated one, or with `template0` an empty one without tables. */
async function createPlace(template?: 'template0'): Promise<Place> {
  const url = await createTestDatabase(template);
  return { env: { DATABASE_URL: url, SECRET_KEY }, open: () => openTestPostgres(url) };
}

/** Returns an embedded database that does not exist yet. A restore creates it in the folder `name`. */
function nameFolder(name: string): Place & { dataDir: string } {
  const dataDir = join(folder, name);
  return { dataDir, env: { DATA_DIR: dataDir, SECRET_KEY }, open: () => openEmbedded(dataDir) };
}

async function withDatabase<T>(place: Place, work: (db: Database) => Promise<T>): Promise<T> {
  const db = await place.open();
  return work(db).finally(() => db.close());
}

/** Runs script/portal in `folder`, in its own process. Returns its output, standard error included. */
async function runTool({ env }: Place, args: string[], more: Record<string, string> = {}): Promise<string> {
  const { stdout, stderr } = await runOperator(args, { cwd: folder, env: { ...env, ...more } });
  return stdout + stderr;
}

/** Runs script/portal like `runTool`, but in this process. */
async function runHere({ env }: Place, args: string[], more: Record<string, string> = {}): Promise<string> {
  const { stdout, stderr } = await runLocalCommand(args, { cwd: folder, env: { ...env, ...more } });
  return stdout + stderr;
}

/** Expects that the restore fails with `message` on both engines and writes nothing. */
async function expectRefused(
  args: string[],
  {
    message,
    env = {},
    run = runHere,
  }: { message: RegExp; env?: Record<string, string>; run?: typeof runHere },
): Promise<void> {
  const refusal = { code: 1, stderr: expect.stringMatching(message) };
  const database = await createPlace('template0');
  await expect(run(database, ['restore', ...args], env)).rejects.toMatchObject(refusal);
  expect(await withDatabase(database, readSchemaVersion)).toBe(0);
  const embedded = nameFolder('refused');
  await expect(run(embedded, ['restore', ...args], env)).rejects.toMatchObject(refusal);
  expect(existsSync(join(embedded.dataDir, 'pg'))).toBe(false);
}

async function expectEverything(place: Place): Promise<void> {
  expect(await withDatabase(place, readEverything)).toEqual({ ...content, ...NO_SIGN_INS });
}

test('a backup encrypted with a passphrase is restored', async () => {
  expect(reports.passphrase).toMatch(
    /read back and whole\.\nIt is encrypted: only the passphrase decrypts it\./,
  );
  expect(reports.passphrase).not.toContain(PASSPHRASE);
  expect((await stat(join(folder, 'by-passphrase.age'))).mode & 0o777).toBe(0o600);
  expect(await readText('by-passphrase.age')).toMatch(/^age-encryption\.org\/v1\n-> scrypt /);
  // The test on a terminal restores the file into PostgreSQL.
  const target = nameFolder('by-passphrase');
  await runHere(target, ['restore', 'by-passphrase.age'], { BACKUP_PASSPHRASE: PASSPHRASE });
  await expectEverything(target);
});

test('a backup encrypted for a public key is restored with its secret key', async () => {
  expect(reports.key).toContain(`only the secret key of ${publicKey} decrypts it`);
  expect(reports.key).toContain('read back and whole');
  expect((await stat(join(folder, 'by-key.age'))).mode & 0o777).toBe(0o600);
  expect(await readText('by-key.age')).toMatch(/^age-encryption\.org\/v1\n-> X25519 /);
  const target = await createPlace('template0');
  await runTool(target, ['restore', 'by-key.age', '--key', 'secret.key']);
  await expectEverything(target);
});

test.each([
  [
    ['by-passphrase.age'],
    { BACKUP_PASSPHRASE: `${PASSPHRASE}r` },
    /by-passphrase\.age cannot be decrypted with this passphrase\..* Nothing was written/,
  ],
  // The configured passphrase is not used for a file that is encrypted for a public key.
  [['by-key.age'], { BACKUP_PASSPHRASE: PASSPHRASE }, /encrypted for a public key.* --key <file>/],
  [
    ['by-key.age', '--key', 'other.key'],
    {},
    /by-key\.age cannot be decrypted with a secret key in this key file\..* Nothing was written/,
  ],
])('restore %s with %o is refused, and writes nothing', async (args, env, message) => {
  await expectRefused(withPaths(args), { message, env });
});

test('restore without a passphrase and without a terminal is refused, and writes nothing', async () => {
  await expectRefused(['by-passphrase.age'], { message: /no terminal .*BACKUP_PASSPHRASE/, run: runTool });
});

/** Replaces the names of key files by their paths. */
function withPaths(args: string[]): string[] {
  return args.map((arg) => (arg.endsWith('.key') ? join(folder, arg) : arg));
}

test.each(['truncated', 'altered by one bit'])('an encrypted backup that is %s is refused', async (fault) => {
  const bytes = await readFile(join(folder, 'by-key.age'));
  const at = Math.floor(bytes.length / 2);
  if (fault === 'altered by one bit') bytes.writeUInt8(bytes.readUInt8(at) ^ 1, at);
  await writeFile(join(folder, 'damaged.age'), fault === 'truncated' ? bytes.subarray(0, -1) : bytes);
  await expectRefused(withPaths(['damaged.age', '--key', 'secret.key']), {
    message: /damaged\.age is damaged or not whole: its encrypted content was altered or cut off/,
  });
});

test('a key file is readable by its owner only and never overwritten', async () => {
  expect((await stat(join(folder, 'secret.key'))).mode & 0o777).toBe(0o600);
  expect(await readText('secret.key')).toMatch(
    new RegExp(`^# created: .*\n# public key: ${publicKey}\nAGE-SECRET-KEY-1\\w+\n$`),
  );
  await expect(runHere(source, ['backup-key', 'secret.key'])).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/secret\.key cannot be written .*EEXIST/),
  });
});

test.each([
  [['--to', 'age1x'], {}, /^--to needs --encrypt/],
  [['--encrypt', '--to'], {}, /^--to needs a value/],
  [['--encrypt', '--to', 'age1x'], {}, /^--to age1x is no public key/],
  [['--encrypt', '--to', 'missing'], {}, /^--to missing cannot be read/],
  [['--encrypt', '--to', 'secret.key'], {}, /^--to needs public keys, and \S*secret\.key has a secret key/],
  [['--encrypt'], { BACKUP_PASSPHRASE: 'elevenchars' }, /at least 12 characters/],
  [['--encrypt', 'a passphrase as argument'], {}, /^Name one file/],
])('backup %s with %o is refused, and leaves no file', async (args, env, message) => {
  await expectNoBackup(runHere(source, ['backup', 'refused.age', ...withPaths(args)], env), message);
});

test('backup without a passphrase and without a terminal is refused, and leaves no file', async () => {
  await expectNoBackup(
    runTool(source, ['backup', 'refused.age', '--encrypt']),
    /no terminal .*BACKUP_PASSPHRASE/,
  );
});

async function expectNoBackup(run: Promise<string>, message: RegExp): Promise<void> {
  await expect(run).rejects.toMatchObject({ code: 1, stderr: expect.stringMatching(message) });
  expect(existsSync(join(folder, 'refused.age'))).toBe(false);
}

// Only Linux has /proc, and only the `script` of Linux takes these arguments.
describe.runIf(process.platform === 'linux')('on a terminal', () => {
  test('neither the terminal nor the list of processes shows the passphrase that is typed', async () => {
    const { shown, commands } = await runOnTerminal(
      ['backup', 'typed.age', '--encrypt'],
      `${PASSPHRASE}\n${PASSPHRASE}\n`,
    );
    expect(shown).toMatch(
      /Passphrase for the backup: \r\nThe same passphrase again: \r\n.*read back and whole/s,
    );
    expect(shown).not.toContain(PASSPHRASE);
    expect(commands).toContain('typed.age');
    expect(commands).not.toContain(PASSPHRASE);
  });

  test('a restore prompts once', async () => {
    const target = await createPlace('template0');
    const { shown } = await runOnTerminal(['restore', 'by-passphrase.age'], `${PASSPHRASE}\n`, target);
    expect(shown).toMatch(/Passphrase of .*by-passphrase\.age: \r\nRestored /);
    await expectEverything(target);
  });

  test.each([
    ['two different passphrases', `${PASSPHRASE}\nanother one\n`, 'The two passphrases differ.'],
    ['Ctrl-C', 'corr\x03', 'No passphrase was typed.'],
  ])('%s: no file is written', async (_what, typed, message) => {
    const { shown } = await runOnTerminal(['backup', 'refused.age', '--encrypt'], typed);
    expect(shown).toContain(message);
    expect(existsSync(join(folder, 'refused.age'))).toBe(false);
  });
});

/**
 * Runs script/portal on a pseudo-terminal, which `script` creates. Types `input` when the prompt appears. `shown` is
 * everything that the terminal showed; `commands` has the command lines of all processes after each output.
 */
async function runOnTerminal(
  args: string[],
  input: string,
  { env } = source,
): Promise<{ shown: string; commands: string }> {
  const operator = resolve(import.meta.dirname, '../operator.ts');
  const command = [process.execPath, operator, ...args].join(' ');
  const running = promisify(execFile)('script', ['--quiet', '--return', '--command', command, '/dev/null'], {
    cwd: folder,
    env: { ...SPAWN_ENV, ...env },
  });
  const { stdin, stdout } = running.child;
  const lists: Promise<string>[] = [];
  let shown = '';
  stdout?.on('data', (chunk: string) => {
    if (!shown.includes(': ') && (shown + chunk).includes(': ')) stdin?.write(input);
    shown += chunk;
    lists.push(listCommands());
  });
  await running.catch(() => {});
  return { shown, commands: (await Promise.all(lists)).join('') };
}

/** Returns the command lines of all processes, as `ps` shows them. */
async function listCommands(): Promise<string> {
  const processes = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  // A process can end before its file is read.
  const lines = processes.map((id) => readFile(`/proc/${id}/cmdline`, 'utf8').catch(() => ''));
  return (await Promise.all(lines)).join('\n').replaceAll('\0', ' ');
}

function readText(name: string): Promise<string> {
  return readFile(join(folder, name), 'latin1');
}
