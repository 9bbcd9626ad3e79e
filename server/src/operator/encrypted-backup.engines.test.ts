// Tests script/portal backup --encrypt, backup-key and restore of encrypted backups.

import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { fillDatabase, readEverything } from '../../test/fill-database.ts';
import { copyTestDatabase, createTestDatabase, openTestPostgres } from '../../test/open-test-database.ts';
import { runOperator } from '../../test/run-operator.ts';
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

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'portal-encrypted-'));
  source = await createPlace('source', 'filled');
  content = await withDatabase(source, async (db) => {
    await fillDatabase(db);
    return readEverything(db);
  });
  const made = await runTool(source, ['backup-key', 'secret.key']);
  publicKey = /^Public key: (age1\w+)$/m.exec(made)?.[1] ?? '';
  await runTool(source, ['backup-key', 'other.key']);
});

afterAll(() => rm(folder, { recursive: true, force: true }));

/** Creates a database: an empty one without tables, or a migrated one. */
async function createPlace(name: string, kind: 'empty' | 'filled'): Promise<Place> {
  if (inject('engine') === 'postgres') {
    const url = await createTestDatabase(kind === 'empty' ? 'template0' : undefined);
    return { env: { DATABASE_URL: url, SECRET_KEY }, open: () => openTestPostgres(url) };
  }
  const dataDir = join(folder, name);
  if (kind === 'filled') await copyTestDatabase(dataDir);
  return { env: { DATA_DIR: dataDir, SECRET_KEY }, open: () => openEmbedded(dataDir) };
}

async function withDatabase<T>(place: Place, work: (db: Database) => Promise<T>): Promise<T> {
  const db = await place.open();
  return work(db).finally(() => db.close());
}

/** Runs script/portal in `folder`. Returns its output, standard error included. */
async function runTool({ env }: Place, args: string[], more: Record<string, string> = {}): Promise<string> {
  const { stdout, stderr } = await runOperator(args, { cwd: folder, env: { ...env, ...more } });
  return stdout + stderr;
}

/** Expects that the restore fails with `message` and writes nothing. */
async function expectRefused(
  place: Place,
  args: string[],
  { message, env = {} }: { message: RegExp; env?: Record<string, string> },
): Promise<void> {
  await expect(runTool(place, ['restore', ...args], env)).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringMatching(message),
  });
  const { DATA_DIR } = place.env;
  if (DATA_DIR !== undefined) expect(existsSync(join(DATA_DIR, 'pg'))).toBe(false);
  else expect(await withDatabase(place, readSchemaVersion)).toBe(0);
}

async function expectEverything(place: Place): Promise<void> {
  expect(await withDatabase(place, readEverything)).toEqual(content);
}

test('a backup encrypted with a passphrase is restored with this passphrase only', async () => {
  const target = await createPlace('by-passphrase', 'empty');
  const said = await runTool(source, ['backup', 'by-passphrase.age', '--encrypt'], {
    BACKUP_PASSPHRASE: PASSPHRASE,
  });
  expect(said).toMatch(/read back and whole\.\nIt is encrypted: only the passphrase decrypts it\./);
  expect(said).not.toContain(PASSPHRASE);
  expect((await stat(join(folder, 'by-passphrase.age'))).mode & 0o777).toBe(0o600);
  expect(await readText('by-passphrase.age')).toMatch(/^age-encryption\.org\/v1\n-> scrypt /);

  await expectRefused(target, ['by-passphrase.age'], {
    message: /by-passphrase\.age cannot be decrypted with this passphrase\. Nothing was written/,
    env: { BACKUP_PASSPHRASE: `${PASSPHRASE}r` },
  });
  await expectRefused(target, ['by-passphrase.age'], { message: /no terminal .*BACKUP_PASSPHRASE/ });
  await runTool(target, ['restore', 'by-passphrase.age'], { BACKUP_PASSPHRASE: PASSPHRASE });
  await expectEverything(target);
});

test('a backup encrypted for a public key is restored with its secret key only', async () => {
  const target = await createPlace('by-key', 'empty');
  const said = await runTool(source, ['backup', 'by-key.age', '--encrypt', '--to', publicKey]);
  expect(said).toContain(`only the secret key of ${publicKey} decrypts it`);
  expect(said).toContain('read back and whole');
  expect((await stat(join(folder, 'by-key.age'))).mode & 0o777).toBe(0o600);
  expect(await readText('by-key.age')).toMatch(/^age-encryption\.org\/v1\n-> X25519 /);

  // A configured passphrase does not matter for a file encrypted for a key.
  const env = { BACKUP_PASSPHRASE: PASSPHRASE };
  await expectRefused(target, ['by-key.age'], { message: /encrypted for a public key.* --key <file>/, env });
  await expectRefused(target, ['by-key.age', '--key', 'other.key'], {
    message: /by-key\.age cannot be decrypted with a secret key in this key file/,
  });
  await runTool(target, ['restore', 'by-key.age', '--key', 'secret.key']);
  await expectEverything(target);
});

test('a truncated or altered encrypted backup is refused, and nothing is written', async () => {
  const target = await createPlace('damaged', 'empty');
  await writeFile(join(folder, 'recipients'), `# the safe\n\n${publicKey}\n`);
  await runTool(source, ['backup', 'whole.age', '--encrypt', '--to', 'recipients']);
  const whole = await readFile(join(folder, 'whole.age'));
  const damaged = join(folder, 'damaged.age');
  const message = /damaged\.age is damaged or not whole: its encrypted content was altered or cut off/;
  await writeFile(damaged, whole);
  await truncate(damaged, whole.length - 1);
  await expectRefused(target, ['damaged.age', '--key', 'secret.key'], { message });

  const at = Math.floor(whole.length / 2);
  whole.writeUInt8(whole.readUInt8(at) ^ 1, at);
  await writeFile(damaged, whole);
  await expectRefused(target, ['damaged.age', '--key', 'secret.key'], { message });
});

test('a key file is readable by its owner only and never overwritten', async () => {
  expect((await stat(join(folder, 'secret.key'))).mode & 0o777).toBe(0o600);
  expect(await readText('secret.key')).toMatch(
    new RegExp(`^# created: .*\n# public key: ${publicKey}\nAGE-SECRET-KEY-1\\w+\n$`),
  );
  await expect(runTool(source, ['backup-key', 'secret.key'])).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/secret\.key cannot be written .*EEXIST/),
  });
});

test.each([
  [['--to', 'age1x'], {}, /^--to needs --encrypt/],
  [['--encrypt', '--to'], {}, /^--to needs a value/],
  [['--encrypt', '--to', 'age1x'], {}, /^--to age1x is no public key/],
  [['--encrypt', '--to', 'missing'], {}, /^--to missing cannot be read/],
  [['--encrypt', '--to', 'secret.key'], {}, /^--to needs public keys, and secret\.key has a secret key/],
  [['--encrypt'], {}, /no terminal .*BACKUP_PASSPHRASE/],
  [['--encrypt'], { BACKUP_PASSPHRASE: 'elevenchars' }, /at least 12 characters/],
  [['--encrypt', PASSPHRASE], {}, /^Name one file/],
])('backup %s is refused, and leaves no file', async (args, env, message) => {
  await expect(runTool(source, ['backup', 'refused.age', ...args], env)).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringMatching(message),
  });
  expect(existsSync(join(folder, 'refused.age'))).toBe(false);
});

// Only the `script` of Linux takes these arguments.
test.runIf(process.platform === 'linux')(
  'the terminal does not show the passphrase that is typed',
  async () => {
    const typed = await runOnTerminal(['backup', 'typed.age', '--encrypt'], `${PASSPHRASE}\n${PASSPHRASE}\n`);
    expect(typed).toMatch(
      /Passphrase for the backup: \r\nThe same passphrase again: \r\n.*read back and whole/s,
    );
    expect(typed).not.toContain(PASSPHRASE);

    expect(
      await runOnTerminal(['backup', 'refused.age', '--encrypt'], `${PASSPHRASE}\nanother one\n`),
    ).toContain('The two passphrases differ.');
    // Ctrl-C
    expect(await runOnTerminal(['backup', 'refused.age', '--encrypt'], 'corr\x03')).toContain(
      'No passphrase was typed.',
    );
    expect(existsSync(join(folder, 'refused.age'))).toBe(false);

    const target = await createPlace('typed', 'empty');
    expect(await runOnTerminal(['restore', 'typed.age'], `${PASSPHRASE}\n`, target)).toContain('Restored ');
    await expectEverything(target);
  },
);

/**
 * Runs script/portal on a pseudo-terminal, which `script` creates. Types `input` when the prompt appears. Returns
 * everything that the terminal showed.
 */
async function runOnTerminal(args: string[], input: string, { env } = source): Promise<string> {
  const operator = resolve(import.meta.dirname, '../operator.ts');
  const command = [process.execPath, operator, ...args].join(' ');
  const running = promisify(execFile)('script', ['--quiet', '--return', '--command', command, '/dev/null'], {
    cwd: folder,
    env: { ...SPAWN_ENV, ...env },
  });
  const { stdin, stdout } = running.child;
  let shown = '';
  stdout?.on('data', (chunk: string) => {
    if (!shown.includes(': ') && (shown + chunk).includes(': ')) stdin?.write(input);
    shown += chunk;
  });
  await running.catch(() => {});
  return shown;
}

function readText(name: string): Promise<string> {
  return readFile(join(folder, name), 'latin1');
}
