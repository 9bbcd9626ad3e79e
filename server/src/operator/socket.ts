// The running portal's ear for the operator: a socket in the data folder, which only its owner may open.
import { once } from 'node:events';
import { chmod, rm } from 'node:fs/promises';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { ConfigError } from '../config.ts';
import { OperatorError, type OperatorRequest, type OperatorTools, runCommand } from './commands.ts';

type Answer = { ok: boolean; text: string };

// The operating systems keep 104 to 108 bytes for it.
const MAX_SOCKET_PATH_BYTES = 103;

const socketPath = (dataDir: string): string => join(dataDir, 'portal.sock');

/**
 * Listens for commands until `close`. The data folder's lock must be held: a socket that is there is a dead one's.
 * @throws ConfigError when the folder's name is too long to hold a socket.
 */
export async function serveOperator(
  dataDir: string,
  tools: OperatorTools,
): Promise<{ close(): Promise<void> }> {
  const path = socketPath(dataDir);
  if (Buffer.byteLength(path) > MAX_SOCKET_PATH_BYTES) {
    throw new ConfigError(`DATA_DIR is too long for a socket (${path}). Example: DATA_DIR=/var/lib/portal`);
  }
  await rm(path, { force: true });
  const server = createServer((asked, response) => void answer(asked, response, tools));
  server.listen(path);
  await once(server, 'listening');
  await chmod(path, 0o600);
  return {
    close: async () => {
      server.close();
      await once(server, 'close');
    },
  };
}

/** Asks the portal that runs on `dataDir`; null when none does. @throws OperatorError with what it said. */
export async function askRunningPortal(dataDir: string, command: OperatorRequest): Promise<string | null> {
  const asked = request({
    socketPath: socketPath(dataDir),
    method: 'POST',
    headers: { connection: 'close' },
  });
  asked.end(JSON.stringify(command));
  let response: IncomingMessage;
  try {
    [response] = (await once(asked, 'response')) as [IncomingMessage];
  } catch (error) {
    if (isNobodyThere(error)) return null;
    throw error;
  }
  const { ok, text } = (await json(response)) as Answer;
  if (!ok) throw new OperatorError(text);
  return text;
}

function isNobodyThere(error: unknown): boolean {
  return (
    error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ECONNREFUSED')
  );
}

async function answer(asked: IncomingMessage, response: ServerResponse, tools: OperatorTools): Promise<void> {
  let answered: Answer;
  try {
    answered = { ok: true, text: await runCommand(tools, (await json(asked)) as OperatorRequest) };
  } catch (error) {
    answered = {
      ok: false,
      text: error instanceof OperatorError ? error.message : `Failed: ${String(error)}`,
    };
  }
  response.end(JSON.stringify(answered));
}
