// Checks whether the server of DATABASE_URL is writable, and reads how many connections it allows.
import pg from 'pg';
import { DatabaseError } from './database-error.ts';

/** Time limit for opening the connection. The response to the query has the same limit. */
const TIMEOUT_MS = 3_000;
/** SQLSTATE of the error that PgBouncer returns for an unknown connection parameter. */
const PROTOCOL_VIOLATION = '08P01';

export type Server = {
  /** Maximum number of connections that this user may have to this database, shared with other programs. */
  room: number;
  /** Connection parameters that the server accepts. Empty for a connection pooler that rejects `statement_timeout`. */
  parameters: { statement_timeout?: number };
};

const PROBE = `
  select current_setting('transaction_read_only') = 'on' as read_only,
         least(
           current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int
             - coalesce(current_setting('reserved_connections', true)::int, 0),
           (select nullif(rolconnlimit, -1) from pg_roles where rolname = current_user),
           (select nullif(datconnlimit, -1) from pg_database where datname = current_database())) as room`;

/** Returns host and port of `url`, for messages that must not contain user and password. */
export function hostOf(url: string): string {
  return URL.parse(url)?.host ?? 'host';
}

/**
 * Runs a query on a new connection. The function uses no connection of the pool, because a pooled connection may be
 * broken without the pool knowing.
 * @throws DatabaseError if the server does not respond or is read-only.
 */
export async function probeServer(url: string, parameters: Server['parameters']): Promise<Server> {
  const { read_only, ...server } = await probe(url, parameters).catch((error) => {
    throw refuse(url, `: ${describeError(error)}`);
  });
  if (read_only) throw refuse(url, ' is read-only');
  return server;
}

async function probe(
  url: string,
  parameters: Server['parameters'],
): Promise<Server & { read_only: boolean }> {
  const client = new pg.Client({
    ...parameters,
    connectionString: url,
    connectionTimeoutMillis: TIMEOUT_MS,
  });
  client.on('error', () => undefined);
  try {
    await client.connect();
    const query = { text: PROBE, query_timeout: TIMEOUT_MS };
    const { rows } = await client.query<{ read_only: boolean; room: number }>(query);
    if (!rows[0]) throw new Error('no answer');
    return { ...rows[0], parameters };
  } catch (error) {
    const refused = error instanceof Error && 'code' in error && error.code === PROTOCOL_VIOLATION;
    if (!refused || Object.keys(parameters).length === 0) throw error;
    return await probe(url, {});
  } finally {
    // A server that hangs never closes its side of the connection. So the end of the connection is not awaited.
    client.end().catch(() => undefined);
  }
}

function refuse(url: string, reason: string): DatabaseError {
  return new DatabaseError(`DATABASE_URL: no writable PostgreSQL answers (${hostOf(url)}${reason})`);
}

function describeError(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(describeError).join(', ');
  return error instanceof Error ? error.message : String(error);
}
