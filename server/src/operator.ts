// The operator's tool, behind script/portal: asks the running portal, or opens the database itself.
import { randomBytes, randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { basename, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { decodeCsv } from '@portal/contract';
import { hasNoSigningKeys, revokeSessions, rotateSigningKey } from './auth/auth-service.ts';
import { type Config, ConfigError, readCallerFolder, readConfig, readEnvironment } from './config.ts';
import type { Database } from './db/database.ts';
import { DatabaseError } from './db/database-error.ts';
import { migrate } from './db/migrate.ts';
import { openDatabase } from './open-database.ts';
import {
  describeCommands,
  OperatorError,
  type OperatorRequest,
  runCommand,
  type SignInTools,
} from './operator/commands.ts';
import { askRunningPortal } from './operator/socket.ts';
import { readOrMakeSecretKey } from './secret-key.ts';

const args = process.argv.slice(2);
const importTools = {
  randomBytes,
  randomUuid: randomUUID,
  pause,
  isStopping: () => false,
  // Whom the portal's processes serve meanwhile cannot be seen from here.
  countCalls: null,
};

try {
  console.log(args.length === 0 || args.includes('--help') ? describeCommands(args) : await run());
} catch (error) {
  if (!(error instanceof OperatorError || error instanceof ConfigError || error instanceof DatabaseError))
    throw error;
  console.error(error.message);
  process.exitCode = 1;
}

async function run(): Promise<string> {
  const request = { args, file: await readNamedFile() };
  const config = readConfig(readEnvironment(process.cwd()));
  const answered = config.databaseUrl === null ? await askRunningPortal(config.dataDir, request) : null;
  if (answered !== null) return answered;
  const db = await openDatabase(config);
  try {
    await migrate(db);
    return await runCommand({ db, importTools, signIn: openSignInTools(config, db) }, request);
  } finally {
    await db.close();
  }
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

/** The file that an import names, as its caller's folder has it (INIT_CWD, see script/portal). */
async function readNamedFile(): Promise<OperatorRequest['file']> {
  const [command, , path] = args;
  if (command !== 'import' || path === undefined || path.startsWith('--')) return undefined;
  const bytes = await readFile(resolve(readCallerFolder(), path)).catch((error: unknown) => {
    throw new OperatorError(`${path} cannot be read (${String(error)})`);
  });
  return { name: basename(path), text: decodeCsv(bytes) };
}
