// The command-line tool for operators, which script/portal starts. Sends the command to the running portal, or opens
// the database and runs the command itself.

import { readFile } from 'node:fs/promises';
import { basename, resolve } from 'node:path';
import { decodeCsv } from '@portal/contract';
import {
  hasNoSigningKeys,
  opensWithSecretKey,
  revokeSessions,
  rotateSigningKey,
} from './auth/auth-service.ts';
import { upgradeDatabase } from './backup/upgrade-database.ts';
import { type Config, readCallerFolder, readConfig, readEnvironment } from './config.ts';
import { createDayOf } from './day.ts';
import type { Database, Db } from './db/database.ts';
import { describeFailure } from './describe-failure.ts';
import { createUploadTools } from './job-handlers.ts';
import { openDatabase } from './open-database.ts';
import { OperatorError, takeFlag, takeOption } from './operator/arguments.ts';
import { backUp, restore } from './operator/back-up.ts';
import { createKeyFile, readEncryption, readKeys } from './operator/backup-keys.ts';
import {
  describeCommands,
  findCommand,
  type OperatorRequest,
  runCommand,
  type SignInTools,
} from './operator/commands.ts';
import { examineDeployment } from './operator/doctor.ts';
import { askRunningPortal } from './operator/socket.ts';
import { findSecretKey, readOrMakeSecretKey } from './secret-key.ts';

const args = process.argv.slice(2);

let config: Config | null = null;
try {
  console.log(await run());
} catch (error) {
  const line = describeFailure(error, config);
  if (line === null) throw error;
  console.error(line);
  process.exitCode = 1;
}

async function run(): Promise<string> {
  if (args.length === 0 || args.includes('--help')) return describeCommands(args);
  if (args[0] === 'doctor') return runDoctor();
  if (args[0] === 'backup-key') return createKeyFile(readPlace(args.slice(1)), new Date());
  config = readConfig(readEnvironment(process.cwd()));
  return runOn(config);
}

async function runOn(config: Config): Promise<string> {
  if (args[0] === 'backup') return runBackup(config);
  if (args[0] === 'restore') return runRestore(config);
  // Before a database is opened, because opening it would create it.
  findCommand(args);
  const request = { args, folder: readCallerFolder(), file: await readNamedFile() };
  const answered = config.databaseUrl === null ? await askRunningPortal(config.dataDir, request) : null;
  if (answered !== null) return answered;
  const db = await openDatabase(config);
  try {
    await upgradeDatabase(db, { dataDir: config.dataDir, now: new Date() });
    const uploadTools = createUploadTools(db, { now: () => new Date(), dayOf: createDayOf(config.timeZone) });
    return await runCommand({ ...config, db, uploadTools, signIn: openSignInTools(config, db) }, request);
  } finally {
    await db.close();
  }
}

async function runBackup(config: Config): Promise<string> {
  const { flag: encrypt, rest } = takeFlag(args.slice(1), '--encrypt');
  const { value: to, rest: named } = takeOption(rest, '--to');
  const file = readPlace(named);
  if (to !== undefined && !encrypt) throw new OperatorError('--to needs --encrypt.');
  const encryption = encrypt ? await readEncryption(config.backupPassphrase, to) : null;
  return backUp(config, { file, now: new Date(), encryption });
}

async function runRestore(config: Config): Promise<string> {
  const { flag: withoutKeys, rest } = takeFlag(args.slice(1), '--without-keys');
  const { value: keyFile, rest: named } = takeOption(rest, '--key');
  const file = readPlace(named);
  const keys = readKeys(config.backupPassphrase, { file, keyFile });
  return restore(config, { file, keys, withoutKeys, opens: (tx) => openKeys(config, tx) });
}

function openSignInTools(config: Config, db: Database): SignInTools | null {
  if (config.auth.hosted !== null) return null;
  return {
    revokeSessions: (whose) => revokeSessions({ db }, whose),
    rotateKeys: async (options) => {
      const isNew = () => hasNoSigningKeys(db);
      const secretKey = config.secretKey ?? (await readOrMakeSecretKey(config.dataDir, isNew));
      return rotateSigningKey({ db, secretKey, now: () => new Date() }, options);
    },
  };
}

async function runDoctor(): Promise<string> {
  if (args.length > 1) throw new OperatorError(`doctor takes nothing (got: ${args.slice(1).join(' ')}).`);
  const { text, healthy } = await examineDeployment({
    readConfig: () => readConfig(readEnvironment(process.cwd())),
    opens: openKeys,
  });
  if (!healthy) process.exitCode = 1;
  return text;
}

/**
 * Returns whether the configured secret key can decrypt the signing keys in the database. Also returns true if there is
 * nothing to decrypt: the database has no signing keys, or a hosted sign-in service is used.
 */
async function openKeys({ auth, secretKey, dataDir }: Config, db: Db): Promise<boolean> {
  if (auth.hosted !== null || (await hasNoSigningKeys(db))) return true;
  const key = secretKey ?? (await findSecretKey(dataDir));
  return key !== null && opensWithSecretKey(db, key);
}

/**
 * Returns the absolute path of the backup file that the arguments name. A relative path in the arguments is relative to
 * the folder in which the operator called script/portal.
 */
function readPlace(named: readonly string[]): string {
  const [path, ...more] = named;
  if (path === undefined || path.startsWith('-') || more.length > 0)
    throw new OperatorError(`Name one file, such as portal.backup (got: ${named.join(' ') || 'nothing'}).`);
  return resolve(readCallerFolder(), path);
}

/**
 * Reads the CSV file that the arguments of an import command name. Returns undefined for other commands. A relative
 * path is relative to the folder in which the operator called script/portal.
 */
async function readNamedFile(): Promise<OperatorRequest['file']> {
  const [command, , path] = args;
  const readsFile = command === 'import' || command === 'codes';
  if (!readsFile || path === undefined || path.startsWith('--')) return undefined;
  const bytes = await readFile(resolve(readCallerFolder(), path)).catch((error: unknown) => {
    throw new OperatorError(`${path} cannot be read (${String(error)})`);
  });
  return { name: basename(path), text: decodeCsv(bytes) };
}
