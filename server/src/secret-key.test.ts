import { mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readOrMakeSecretKey } from './secret-key.ts';

const isNew = async () => true;
const isNotNew = async () => false;

let dataDir: string;
beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'portal-key-'));
});
afterAll(() => rm(dataDir, { recursive: true, force: true }));

test('the key is generated once, readable only by its owner, and then reused', async () => {
  const made = await readOrMakeSecretKey(dataDir, isNew);
  expect(made).toHaveLength(32);
  expect((await stat(join(dataDir, 'secret-key'))).mode & 0o777).toBe(0o600);
  expect(await readOrMakeSecretKey(dataDir, isNotNew)).toEqual(made);
});

test('a missing or damaged key is not replaced', async () => {
  const file = join(dataDir, 'secret-key');
  await writeFile(file, 'short');
  await expect(readOrMakeSecretKey(dataDir, isNew)).rejects.toThrow(/is damaged/);
  expect(await readFile(file, 'utf8')).toBe('short');
  await rm(file);
  await expect(readOrMakeSecretKey(dataDir, isNotNew)).rejects.toThrow(
    /is gone, and this database was made with it/,
  );
  await expect(stat(file)).rejects.toThrow(/ENOENT/);
});

test('a key that cannot be read is not called lost, and not replaced', async () => {
  const file = join(dataDir, 'secret-key');
  // Root can read every file, but nobody can read a folder as a file.
  await mkdir(file);
  const fault = /secret-key is there, but the user of this process cannot read it \(EISDIR\)\..*chown/;
  await expect(readOrMakeSecretKey(dataDir, isNew)).rejects.toThrow(fault);
  await expect(readOrMakeSecretKey(dataDir, isNotNew)).rejects.toThrow(fault);
});
