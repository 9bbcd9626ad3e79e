// The operator's commands that script/portal always executes in its own process: backups and the check of the
// deployment.
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import * as z from 'zod/mini';
import { isUuid } from '../db/database.ts';
import { backUp, restore } from './back-up.ts';
import { createKeyFile, readEncryption, readKeys } from './backup-keys.ts';
import { type Command, flag, type LocalTools, localCommand, OperatorError, text } from './command.ts';
import { examineDeployment } from './doctor.ts';

const FILE = {
  form: '<file>',
  help: 'the file, such as portal.backup',
  schema: text,
  wanted: 'Name one file, such as portal.backup',
};

/** Reads the output of `people erasures`. @throws OperatorError that names the first wrong line. */
async function readErasures(path: string): Promise<{ user_id: string; at: Date }[]> {
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    throw new OperatorError(`${path} cannot be read (${String(error)})`);
  });
  const [head, ...lines] = text.trim().split(/\r?\n/);
  if (head !== 'user_id,at') throw new OperatorError(`${path}: the first line must be user_id,at`);
  return lines.map((line, at) => {
    const [user_id = '', time = ''] = line.split(',');
    if (!isUuid(user_id) || Number.isNaN(Date.parse(time)))
      throw new OperatorError(`${path}: line ${at + 2} must be a user_id and a time: ${line}`);
    return { user_id, at: new Date(time) };
  });
}

export const localCommands: readonly Command<LocalTools>[] = [
  localCommand({
    name: 'backup',
    summary: 'save all that the database holds, while the portal serves',
    takes: {
      file: FILE,
      encrypt: flag('--encrypt', 'encrypt the backup with a passphrase, or with --to'),
      to: {
        form: '--to <key>',
        help: 'a public key, or a file with one public key a line, for which the backup is encrypted',
        schema: z.optional(text),
        wanted: '--to needs a value: a public key, or a file of public keys',
      },
    },
    run: async ({ readConfig }, { file, encrypt, to }, { folder }) => {
      const config = readConfig();
      if (to !== undefined && !encrypt) throw new OperatorError('--to needs --encrypt.');
      const encryption = encrypt ? await readEncryption(config.backupPassphrase, to) : null;
      return backUp(config, { file: resolve(folder, file), now: new Date(), encryption });
    },
  }),
  localCommand({
    name: 'backup-key',
    summary: 'write a new secret key, which decrypts backups, to a file; print its public key',
    takes: { file: FILE },
    run: (_tools, { file }, { folder }) => createKeyFile(resolve(folder, file), new Date()),
  }),
  localCommand({
    name: 'restore',
    summary: 'put a backup into an empty database, without its sessions',
    takes: {
      file: FILE,
      key: {
        form: '--key <file>',
        help: 'the file with the secret key of an encrypted backup',
        schema: z.optional(text),
        wanted: '--key needs a value: the file with the secret key',
      },
      withoutKeys: flag('--without-keys', 'leave the signing keys out'),
      erasures: {
        form: '--erasures <file>',
        help: 'the output of people erasures: erases these people again',
        schema: z.optional(text),
        wanted: '--erasures needs a value: the file with the output of people erasures',
      },
    },
    run: async ({ readConfig }, { file: named, key, withoutKeys, erasures: list }, { folder }) => {
      const config = readConfig();
      const file = resolve(folder, named);
      const keys = readKeys(config.backupPassphrase, { file, keyFile: key });
      const erasures = list === undefined ? null : await readErasures(resolve(folder, list));
      return restore(config, { file, keys, withoutKeys, erasures });
    },
  }),
  localCommand({
    name: 'doctor',
    summary: 'look at the deployment and say what is wrong; the exit status is 1 if something is',
    takes: {},
    run: async ({ readConfig }) => {
      const { text: checkResults, healthy } = await examineDeployment(readConfig);
      if (!healthy) process.exitCode = 1;
      return checkResults;
    },
  }),
];
