// The command-line tool for operators, which script/portal starts. Sends a command to the running portal, or executes
// the command in its own process.

import { readFile } from 'node:fs/promises';
import { basename, resolve } from 'node:path';
import {
  chooseEncoding,
  decodeAs,
  ENCODINGS,
  type Encoding,
  findEncoding,
  takeSample,
} from '@portal/contract';
import { hasNoSigningKeys, rotateSigningKey } from './auth/auth-service.ts';
import { upgradeDatabase } from './backup/create-backup.ts';
import { type Config, readCallerFolder, readConfig, readEnvironment } from './config.ts';
import { createDayOf } from './day.ts';
import { describeFailure } from './describe-failure.ts';
import { createUploadTools } from './jobs/job-handlers.ts';
import { openDatabase } from './open-database.ts';
import { type Call, type Declaration, OperatorError, type OperatorRequest } from './operator/command.ts';
import { parseCommandLine } from './operator/command-line.ts';
import { portalCommands, runCommand } from './operator/commands.ts';
import { localCommands } from './operator/local-commands.ts';
import { askAgain } from './operator/people-commands.ts';
import { askRunningPortal } from './operator/socket.ts';
import { readOrMakeSecretKey } from './secret-key.ts';

let config: Config | null = null;
try {
  console.log(await run(process.argv.slice(2)));
} catch (error) {
  const line = describeFailure(error, config);
  if (line === null) throw error;
  console.error(line);
  process.exitCode = 1;
}

async function run(argv: readonly string[]): Promise<string> {
  const parsed = parseCommandLine([...portalCommands, ...localCommands], argv);
  if ('help' in parsed) return parsed.help;
  const { command, call, values } = parsed;
  const request = { ...call, folder: readCallerFolder() };
  const local = localCommands.find((each) => each === command);
  if (local) return local.run({ readConfig: readSettings }, values, request);
  if (command.typedAgain !== undefined && values.yes !== true)
    await askAgain(String(values[command.typedAgain]));
  return runInPortal(readSettings(), { ...request, file: await readNamedFile(command, call) });
}

function readSettings(): Config {
  config = readConfig(readEnvironment(process.cwd()));
  return config;
}

// Sends the command to the portal that runs on the embedded database. If no portal runs on it, or the database is on a
// server, opens the database and executes the command here.
async function runInPortal(config: Config, request: OperatorRequest): Promise<string> {
  const answered = config.databaseUrl === null ? await askRunningPortal(config.dataDir, request) : null;
  if (answered !== null) return answered;
  const db = await openDatabase(config);
  try {
    await upgradeDatabase(db, { dataDir: config.dataDir, now: new Date() });
    const uploadTools = createUploadTools(db, { now: () => new Date(), dayOf: createDayOf(config.timeZone) });
    const rotateKeys = async (options: { revoke: boolean }) => {
      const isNew = () => hasNoSigningKeys(db);
      const secretKey = config.secretKey ?? (await readOrMakeSecretKey(config.dataDir, isNew));
      return rotateSigningKey({ db, secretKey, now: () => new Date() }, options);
    };
    const isHosted = config.auth.hosted !== null;
    const tools = { ...config, db, uploadTools, rotateKeys: isHosted ? null : rotateKeys };
    return await runCommand(tools, request);
  } finally {
    await db.close();
  }
}

// Reads the CSV file that the first argument names. Returns undefined if the command takes no file, or the argument is
// missing. The path is relative to the folder in which the operator called script/portal.
async function readNamedFile(
  command: Declaration,
  { args, options }: Call,
): Promise<OperatorRequest['file']> {
  const readsFile = Object.values(command.takes).some(({ isFile }) => isFile);
  const [path] = args;
  if (!readsFile || path === undefined) return undefined;
  const bytes = await readFile(resolve(readCallerFolder(), path)).catch((error: unknown) => {
    throw new OperatorError(`${path} cannot be read (${String(error)})`);
  });
  // `parseCommandLine` has checked the option.
  const encoding = (options.encoding as Encoding | undefined) ?? (await detectEncoding(bytes));
  return { name: basename(path), text: decodeAs(bytes, encoding), encoding: ENCODINGS[encoding] };
}

/** Returns the encoding that the page would choose. The detector is loaded only if it is needed. */
async function detectEncoding(bytes: Uint8Array): Promise<Encoding> {
  const sample = takeSample(bytes);
  if (sample === null) return findEncoding(bytes);
  const { detectAll } = await import('jschardet');
  return chooseEncoding(detectAll(sample), sample);
}
