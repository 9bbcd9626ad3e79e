// Opens PGlite, which is PostgreSQL compiled to WebAssembly, on a folder. Adds what PGlite lacks: fsync, prepared
// statements, and the detection that PostgreSQL has stopped inside PGlite.
import { fsyncSync } from 'node:fs';
import { PGlite, type PGliteOptions, parse, protocol } from '@electric-sql/pglite';
import { NodeFS } from '@electric-sql/pglite/nodefs';
import { DatabaseError, failConnection } from './database.ts';

type Init = Parameters<NodeFS['init']>;
type StreamOps = { fsync?: (stream: { nfd: number }) => number };

/**
 * The file system of PGlite, with fsync of the operating system. PGlite's own class has no fsync, so a power failure
 * could lose committed data. PostgreSQL calls fsync once for each commit (measured).
 */
export class DurableNodeFS extends NodeFS {
  override async init(...[pg, options]: Init): ReturnType<NodeFS['init']> {
    const { emscriptenOpts } = await super.init(pg, options);
    const addFsync = (module: { NODEFS: object }): void => {
      const { stream_ops } = module.NODEFS as { stream_ops: StreamOps };
      stream_ops.fsync = (stream) => {
        fsyncSync(stream.nfd);
        return 0;
      };
    };
    return { emscriptenOpts: { ...emscriptenOpts, preRun: [...(emscriptenOpts.preRun ?? []), addFsync] } };
  }
}

/**
 * PGlite's start parameters, with two changes. `-F` is removed, because it disables fsync. `max_stack_depth` is lower
 * than its default of 2 MB, which is more than the stack in WebAssembly: a deeply nested document would overflow the
 * stack and corrupt the engine. Very deep JSON can still overflow the stack, so `auth/users.ts` limits the depth of
 * JSON from clients.
 */
export const DURABLE_START_PARAMS = [
  ...PGlite.defaultStartParams.filter((param) => param !== '-F'),
  '-c',
  'fsync=on',
  '-c',
  'wal_sync_method=fsync',
  '-c',
  'max_stack_depth=200kB',
];

const KEPT_LINES = 20;
const NO_ROOM = /No space left|Read-only file system|Permission denied|File too large|Input\/output error/;

/**
 * PGlite, but after a PANIC each statement is rejected. PostgreSQL has a PANIC, for example, if the disk is full. The
 * PostgreSQL inside PGlite has then ended, and the next statement would block the process for ever (measured).
 * Committed data stays in the folder, and a new engine can open it.
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
  // The first line that contains PANIC. The line may be missing in `output`, which keeps only the last lines.
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

const { serialize } = protocol;

/** A prepared statement. `types` contains the OID of the type of each parameter. */
type Statement = { name: string; types: number[] };
type Messages = Parameters<typeof parse.parseResults>[0];
type Parsers = Parameters<typeof parse.parseResults>[1];

/**
 * Returns a function that runs a statement with its parameters on `engine`. The first call with a text prepares the
 * statement, and later calls reuse it. The result has the rows, and the number of rows that the statement has changed.
 * `parsers` convert the values of some types, by OID.
 * Set `isInTransaction` if the statement belongs to a transaction. Other statements must run inside PGlite's
 * `_runExclusiveTransaction`.
 */
export function prepareStatements(engine: PGlite, parsers: Parsers) {
  const statements = new Map<string, Statement>();
  const send = async (messages: Uint8Array[], syncToFs: boolean): Promise<Messages> => {
    const result = await engine.execProtocol(Buffer.concat([...messages, serialize.sync()]), { syncToFs });
    return result.messages;
  };
  const prepare = async (text: string): Promise<Statement> => {
    const name = `s${statements.size}`;
    const messages = [serialize.parse({ name, text }), serialize.describe({ type: 'S', name })];
    const types = parse.parseDescribeStatementResults(await send(messages, false));
    const statement = { name, types };
    statements.set(text, statement);
    return statement;
  };
  const run = async (
    text: string,
    params: readonly unknown[],
    { isInTransaction }: { isInTransaction: boolean },
  ) => {
    const { name, types } = statements.get(text) ?? (await prepare(text));
    const values = params.map((param, index) => {
      if (param === null || param === undefined) return null;
      const write = engine.serializers[types[index] ?? 0];
      return write === undefined ? String(param) : write(param);
    });
    const messages = await send(
      [serialize.bind({ statement: name, values }), serialize.describe({ type: 'P' }), serialize.execute({})],
      !isInTransaction,
    );
    const results = parse.parseResults(messages, { ...engine.parsers, ...parsers });
    const [{ rows, affectedRows = 0 } = { rows: [] }] = results;
    return { rows, affectedRows };
  };
  return (...call: Parameters<typeof run>) => engine.runExclusive(() => run(...call));
}
