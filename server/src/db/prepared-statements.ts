// Runs SQL in PGlite with prepared statements. PGlite's own `query` parses and plans the text at each call, which takes
// most of the time of a large statement.
import { type PGlite, parse, protocol } from '@electric-sql/pglite';

const { serialize } = protocol;

/** `types` contains the OID of the type of each parameter. */
type Statement = { name: string; types: number[] };
type Messages = Parameters<typeof parse.parseResults>[0];
type Parsers = Parameters<typeof parse.parseResults>[1];

/** The result of a statement: its rows, and the number of rows that it has changed. */
export type StatementResult = { rows: unknown[]; affectedRows: number };

/**
 * Returns a function that runs a statement with its parameters on this engine. The first call with a text prepares the
 * statement, and later calls use it. `parsers` convert the values of some types, by OID. Set `isInTransaction` if the
 * statement belongs to a transaction; otherwise it must run with PGlite's `_runExclusiveTransaction`.
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
  ): Promise<StatementResult> => {
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
    const [{ rows, affectedRows = 0 } = { rows: [] }] = parse.parseResults(messages, {
      ...engine.parsers,
      ...parsers,
    });
    return { rows, affectedRows };
  };
  return (...call: Parameters<typeof run>) => engine.runExclusive(() => run(...call));
}
