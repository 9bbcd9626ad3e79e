// Opens PostgreSQL: a pool, named prepared statements, and the writable one of several hosts.
import { createHash } from 'node:crypto';
import pg from 'pg';
import { CONNECTION_FAILURE, type Database, type Db, type Result, type Row } from './database.ts';
import { DatabaseError } from './database-error.ts';
import { hideValues } from './hide-values.ts';
import { TYPE_OIDS, toIsoTime } from './times.ts';

const CONNECT_TIMEOUT_MS = 5_000;
const STATEMENT_TIMEOUT_MS = 30_000;
const ANSWER_GRACE_MS = 5_000;
const NO_DEADLINE_MS = 2 ** 31 - 1;

/** `url` may name several hosts, separated by commas; `prepare` false for poolers that keep no statements. */
export type PostgresOptions = {
  url: string;
  prepare?: boolean;
  maxConnections?: number;
  /** For a new connection to stand, or one of the pool to be free. */
  connectTimeoutMs?: number;
};

/**
 * Opens a pool to the writable host of `url` and makes one connection to prove it.
 * @throws DatabaseError when no host answers, or none of them is writable.
 */
export async function openPostgres({
  url,
  prepare = true,
  maxConnections = 16,
  connectTimeoutMs = CONNECT_TIMEOUT_MS,
}: PostgresOptions): Promise<Database> {
  const pool = new pg.Pool({
    ...(await findWritableHost(url)),
    max: maxConnections,
    connectionTimeoutMillis: connectTimeoutMs,
    keepAlive: true,
    // Poolers refuse what they do not know among the parameters of a new connection.
    ...(prepare && { statement_timeout: STATEMENT_TIMEOUT_MS }),
    // For a server that stands still and cannot keep its own time.
    query_timeout: STATEMENT_TIMEOUT_MS + ANSWER_GRACE_MS,
    application_name: 'partner-benefits-portal',
    types: { getTypeParser: typeParser as typeof pg.types.getTypeParser },
  });
  pool.on('error', ignore);

  const queryWith = (client: pg.Pool | pg.PoolClient): Db => ({
    query: async <R extends Row>(text: string, params: readonly unknown[] = []): Promise<Result<R>> => {
      const config = { text, values: params as unknown[] };
      const named = prepare ? { ...config, name: statementName(text) } : config;
      const result = await client.query<R>(named).catch(rethrow);
      return { rows: result.rows, rowCount: result.rowCount ?? 0 };
    },
    execute: async (script) => {
      await client.query({ text: script, query_timeout: NO_DEADLINE_MS } as pg.QueryConfig).catch(rethrow);
    },
  });

  return {
    engine: 'postgres',
    ...queryWith(pool),
    transaction: async (work) => {
      const client = await pool.connect().catch(rethrow);
      client.on('error', ignore);
      let broken = false;
      try {
        await client.query('begin');
        const result = await work(queryWith(client));
        await client.query('commit');
        return result;
      } catch (error) {
        await client.query('rollback').catch(() => {
          broken = true;
        });
        throw error;
      } finally {
        client.off('error', ignore);
        client.release(broken);
      }
    },
    close: () => pool.end(),
  };
}

/**
 * pg gives no code to failures of its own: a connection lost, none free in time, no answer in time. They get
 * PostgreSQL's code for a failed connection, so that callers answer 503 and not 500.
 */
function rethrow(error: unknown): never {
  if (error instanceof Error && !('code' in error && error.code))
    Object.assign(error, { code: CONNECTION_FAILURE });
  throw hideValues(error);
}

// A connection that dies says so to whoever waits for it; without a listener the event itself would end the process.
function ignore(): void {}

/**
 * The connection string of the first host in `url` that answers and is no replica.
 * pg refuses several hosts in one string, so they are tried here one by one.
 */
async function findWritableHost(url: string): Promise<pg.PoolConfig> {
  const faults: string[] = [];
  for (const candidate of splitHosts(url)) {
    const client = new pg.Client({
      connectionString: candidate,
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    });
    client.on('error', ignore);
    try {
      await client.connect();
      const { rows } = await client.query<{ replica: boolean }>('select pg_is_in_recovery() as replica');
      if (!rows[0]?.replica) return { connectionString: candidate };
      faults.push(`${hostOf(candidate)} is a replica`);
    } catch (error) {
      faults.push(`${hostOf(candidate)}: ${describeFault(error)}`);
    } finally {
      await client.end().catch(() => undefined);
    }
  }
  throw new DatabaseError(`DATABASE_URL: no writable PostgreSQL answers (${faults.join('; ')})`);
}

/** `postgres://user:pw@a:1,b:2/db?x` -> one connection string a host. */
export function splitHosts(url: string): string[] {
  const match = /^(postgres(?:ql)?:\/\/(?:[^@/]*@)?)([^/?]+)(.*)$/.exec(url);
  if (!match) return [url];
  const [, head, hosts, tail] = match;
  return (hosts ?? '').split(',').map((host) => `${head}${host.trim()}${tail}`);
}

function hostOf(url: string): string {
  return URL.parse(url)?.host ?? 'host';
}

function describeFault(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(describeFault).join(', ');
  return error instanceof Error ? error.message : String(error);
}

const names = new Map<string, string>();

// A name is what makes pg prepare a statement once a connection: twice the claims a second of unnamed ones.
function statementName(text: string): string {
  let name = names.get(text);
  if (name === undefined) {
    name = createHash('sha256').update(text).digest('base64url').slice(0, 20);
    names.set(text, name);
  }
  return name;
}

function typeParser(oid: number, format?: 'text' | 'binary') {
  if (oid === TYPE_OIDS.timestamp_tz) return toIsoTime;
  if (oid === TYPE_OIDS.int8) return String;
  return pg.types.getTypeParser(oid, format as 'text');
}
