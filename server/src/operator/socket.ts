// The Unix socket in the data folder, through which script/portal sends commands to the running portal. Only the owner
// of the folder can open the socket.
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createReadStream } from 'node:fs';
import { chmod, mkdir, rm } from 'node:fs/promises';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { isFileFault, writeBytes } from '../backup/backup-file.ts';
import { createBackup } from '../backup/create-backup.ts';
import { BackupError, type Encryption } from '../backup/encryption.ts';
import { type Config, ConfigError } from '../config.ts';
import { OperatorError, type OperatorRequest, type OperatorTools } from './command.ts';
import { runCommand } from './commands.ts';
import { type CheckResult, examineDatabase } from './examine-database.ts';

const BACKUP_TYPE = 'application/octet-stream';

type Answer = { ok: boolean; text: string };

/** The settings with which the running portal can be reached. */
type AddressSettings = Pick<Config, 'host' | 'port' | 'publicUrl'>;

// The longest path of a Unix socket is 103 to 107 bytes, depending on the operating system.
const MAX_SOCKET_PATH_BYTES = 103;

const socketPath = (dataDir: string): string => join(dataDir, 'portal.sock');
const backupsFolder = (dataDir: string): string => join(dataDir, 'backups-under-way');

/**
 * Listens for commands until `close` is called. The caller must hold the lock of the data folder, because this function
 * deletes an existing socket file. The lock proves that the process that created this file has ended.
 * @throws ConfigError if the path of the data folder is too long for a socket.
 */
export async function serveOperator(
  dataDir: string,
  tools: OperatorTools & AddressSettings,
): Promise<{ close(): Promise<void> }> {
  const path = socketPath(dataDir);
  if (Buffer.byteLength(path) > MAX_SOCKET_PATH_BYTES) {
    throw new ConfigError(`DATA_DIR is too long for a socket (${path}). Example: DATA_DIR=/var/lib/portal`);
  }
  await rm(path, { force: true });
  await rm(backupsFolder(dataDir), { recursive: true, force: true });
  const stopping = new AbortController();
  const server = createServer((asked, response) => {
    if (asked.url === '/backup') void sendBackup(response, dataDir, tools, stopping.signal);
    else if (asked.url === '/doctor') void answer(response, () => examine(tools));
    else void answer(response, async () => runCommand(tools, await json(asked)));
  });
  server.listen(path);
  await once(server, 'listening');
  await chmod(path, 0o600);
  return {
    close: async () => {
      // Aborts a backup that is being sent, because a client that does not read would delay the stop.
      stopping.abort();
      server.close();
      await once(server, 'close');
    },
  };
}

/**
 * Sends a command to the portal that runs on `dataDir`. Returns the output; null if no portal runs there.
 * @throws OperatorError with the portal's message if the command failed.
 */
export async function askRunningPortal(dataDir: string, command: OperatorRequest): Promise<string | null> {
  const response = await ask(dataDir, '/', command);
  return response === null ? null : readAnswer(response);
}

/**
 * Makes the portal that runs on `dataDir` send a backup, and writes the backup to `file`, encrypted unless `encryption`
 * is null. Returns false if no portal runs there.
 */
export async function fetchBackup(
  dataDir: string,
  file: string,
  encryption: Encryption | null,
): Promise<boolean> {
  const response = await ask(dataDir, '/backup');
  if (response === null) return false;
  if (response.headers['content-type'] !== BACKUP_TYPE) await readAnswer(response);
  await writeBytes(file, [response], encryption).catch((error: unknown) => {
    // If the file cannot be written, the response is incomplete too, although the portal still runs.
    if (response.complete || isFileFault(error)) throw error;
    throw new OperatorError('The portal ended before it had sent the backup.');
  });
  return true;
}

/**
 * Makes the portal that runs on `dataDir` check its database. Returns null if no portal runs there. `address` is
 * undefined if the portal that runs is an older version.
 */
export async function fetchCheckResults(
  dataDir: string,
): Promise<{ checkResults: CheckResult[]; address?: AddressSettings } | null> {
  const response = await ask(dataDir, '/doctor');
  if (response === null) return null;
  const examined = JSON.parse(await readAnswer(response));
  // Portals up to version 0.3.0 send only the list.
  return Array.isArray(examined) ? { checkResults: examined } : examined;
}

async function ask(
  dataDir: string,
  path: string,
  command?: OperatorRequest,
): Promise<IncomingMessage | null> {
  const headers = { connection: 'close' };
  const asked = request({ socketPath: socketPath(dataDir), method: 'POST', path, headers });
  asked.end(command && JSON.stringify(command));
  try {
    const [response] = (await once(asked, 'response')) as [IncomingMessage];
    return response;
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'ENOENT' || code === 'ECONNREFUSED') return null;
    throw error;
  }
}

async function readAnswer(response: IncomingMessage): Promise<string> {
  const { ok, text } = (await json(response)) as Answer;
  if (!ok) throw new OperatorError(text);
  return text;
}

async function answer(response: ServerResponse, work: () => Promise<string>): Promise<void> {
  const answered: Answer = await work().then(
    (text) => ({ ok: true, text }),
    (error: unknown) => ({ ok: false, text: describeError(error) }),
  );
  response.end(JSON.stringify(answered));
}

async function examine({ db, host, port, publicUrl }: OperatorTools & AddressSettings): Promise<string> {
  return JSON.stringify({
    checkResults: await examineDatabase(db, Date.now),
    address: { host, port, publicUrl },
  });
}

// Writes the backup to a file before sending it, so that a slow client does not keep the database transaction open.
async function sendBackup(
  response: ServerResponse,
  dataDir: string,
  { db }: OperatorTools,
  signal: AbortSignal,
): Promise<void> {
  const file = join(backupsFolder(dataDir), randomUUID());
  try {
    await mkdir(backupsFolder(dataDir), { recursive: true, mode: 0o700 });
    await createBackup(db, { file, now: new Date() });
    response.setHeader('content-type', BACKUP_TYPE);
    await pipeline(createReadStream(file), response, { signal });
  } catch (error) {
    if (!response.headersSent && !response.destroyed) {
      response.removeHeader('content-type');
      response.end(JSON.stringify({ ok: false, text: describeError(error) }));
    }
  } finally {
    await rm(file, { force: true });
  }
}

function describeError(error: unknown): string {
  const isPlain = error instanceof OperatorError || error instanceof BackupError;
  return isPlain ? error.message : `Failed: ${String(error)}`;
}
