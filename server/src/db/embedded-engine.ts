// PGlite on a folder, which notices when PostgreSQL inside it has stopped for good.
import { PGlite, type PGliteOptions } from '@electric-sql/pglite';
import { DatabaseError } from './database-error.ts';
import { DURABLE_START_PARAMS, DurableNodeFS } from './embedded-filesystem.ts';
import { failConnection } from './name-failure.ts';

const KEPT_LINES = 20;
const NO_ROOM = /No space left|Read-only file system|Permission denied|File too large|Input\/output error/;

/**
 * After a PANIC, such as a full disk under the write-ahead log, the program inside has ended, and PGlite would wait for
 * its answers for ever, with the whole process (measured). From then on every statement is refused here; what was
 * committed stands in the folder, for another engine to open.
 */
export class EmbeddedEngine extends PGlite {
  /** What it said last: its PANIC, or null while it lives. */
  readonly findPanic: () => string | null;

  constructor(options: PGliteOptions, findPanic: () => string | null) {
    super(options);
    this.findPanic = findPanic;
  }

  override execProtocolRawSync(message: Uint8Array): Uint8Array {
    const panic = this.findPanic();
    if (panic !== null) throw failConnection(`The embedded database has stopped: ${panic}`);
    return super.execProtocolRawSync(message);
  }
}

/** @throws DatabaseError with the engine's own reason when the folder does not open. */
export async function openEngine(folder: string): Promise<EmbeddedEngine> {
  const said: string[] = [];
  // Kept apart: whatever is said after it must not push it out.
  let panic: string | null = null;
  const keep = (line: string): boolean => {
    if (line.includes('PANIC:')) panic ??= line;
    said.push(line);
    if (said.length > KEPT_LINES) said.shift();
    return false;
  };
  const options = {
    fs: new DurableNodeFS(folder),
    startParams: DURABLE_START_PARAMS,
    onStdout: keep,
    onStderr: keep,
  };
  const engine = new EmbeddedEngine(options, () => panic);
  try {
    await engine.waitReady;
    return engine;
  } catch (error) {
    const reason = (said.findLast((line) => /PANIC|FATAL|ERROR/.test(line)) ?? String(error)).trim();
    throw new DatabaseError(
      NO_ROOM.test(reason)
        ? `The embedded database in ${folder} cannot be written (${reason}). Make room or set its permissions, then start again; nothing is lost.`
        : `The embedded database in ${folder} is damaged and does not open (${reason}). Restore a backup, or move the folder away to begin anew.`,
      { cause: error },
    );
  }
}
