// Opens PGlite on a folder. PGlite is PostgreSQL compiled to WebAssembly. Detects that PostgreSQL has stopped inside
// PGlite.
import { PGlite, type PGliteOptions } from '@electric-sql/pglite';
import { DatabaseError } from './database-error.ts';
import { DURABLE_START_PARAMS, DurableNodeFS } from './embedded-filesystem.ts';
import { failConnection } from './name-failure.ts';

const KEPT_LINES = 20;
const NO_ROOM = /No space left|Read-only file system|Permission denied|File too large|Input\/output error/;

/**
 * After a PANIC, for example because the disk is full, the PostgreSQL inside PGlite has ended. With the next statement,
 * PGlite would block the process for ever (measured). So after a PANIC, this class rejects each statement. Committed
 * data stays in the folder, and a new engine can open it.
 */
export class EmbeddedEngine extends PGlite {
  /** Returns the message of the PANIC; null while PostgreSQL runs. */
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

/** Opens the database in `folder`. @throws DatabaseError with PostgreSQL's reason if the database does not open. */
export async function openEngine(folder: string): Promise<EmbeddedEngine> {
  const output: string[] = [];
  // The line with the PANIC message has its own variable, because `output` keeps only the last lines.
  let panic: string | null = null;
  const keep = (line: string): boolean => {
    if (line.includes('PANIC:')) panic ??= line;
    output.push(line);
    if (output.length > KEPT_LINES) output.shift();
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
    const reason = (output.findLast((line) => /PANIC|FATAL|ERROR/.test(line)) ?? String(error)).trim();
    throw new DatabaseError(
      NO_ROOM.test(reason)
        ? `The embedded database in ${folder} cannot be written (${reason}). Make room or set its permissions, then start again; nothing is lost.`
        : `The embedded database in ${folder} is damaged and does not open (${reason}). Restore a backup, or move the folder away to begin anew.`,
      { cause: error },
    );
  }
}
