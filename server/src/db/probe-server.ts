// Reads from the server of DATABASE_URL whether it may be written to and how many connections it has room for.
import pg from 'pg';
import { DatabaseError } from './database-error.ts';

/** For the server to accept a connection, and once more to respond. */
const PATIENCE_MS = 3_000;
/** PgBouncer refuses what it does not know among the parameters of a new connection with this code. */
const PROTOCOL_VIOLATION = '08P01';

export type Server = {
  /** Connections that it lets this user have in this database, those of other programs included. */
  room: number;
  /** Parameters of a connection that it accepts; a pooler may take none. */
  parameters: { statement_timeout?: number };
};

const PROBE = `
  select current_setting('transaction_read_only') = 'on' as read_only,
         least(
           current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int
             - coalesce(current_setting('reserved_connections', true)::int, 0),
           (select nullif(rolconnlimit, -1) from pg_roles where rolname = current_user),
           (select nullif(datconnlimit, -1) from pg_database where datname = current_database())) as room`;

/** Host and port, as messages name the server; without user and password. */
export function hostOf(url: string): string {
  return URL.parse(url)?.host ?? 'host';
}

/**
 * Opens a connection of its own, because those of a pool may be dead without knowing.
 * @throws DatabaseError when the server does not respond, or may not be written to.
 */
export async function probeServer(url: string, parameters: Server['parameters']): Promise<Server> {
  const { read_only, ...server } = await probe(url, parameters).catch((error) => {
    throw refuse(url, `: ${describeFault(error)}`);
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
    connectionTimeoutMillis: PATIENCE_MS,
  });
  client.on('error', () => undefined);
  try {
    await client.connect();
    const query = { text: PROBE, query_timeout: PATIENCE_MS };
    const { rows } = await client.query<{ read_only: boolean; room: number }>(query);
    if (!rows[0]) throw new Error('no answer');
    return { ...rows[0], parameters };
  } catch (error) {
    const refused = error instanceof Error && 'code' in error && error.code === PROTOCOL_VIOLATION;
    if (!refused || Object.keys(parameters).length === 0) throw error;
    return await probe(url, {});
  } finally {
    // A server that stands still says no goodbye, and is not waited for.
    client.end().catch(() => undefined);
  }
}

function refuse(url: string, fault: string): DatabaseError {
  return new DatabaseError(`DATABASE_URL: no writable PostgreSQL answers (${hostOf(url)}${fault})`);
}

function describeFault(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(describeFault).join(', ');
  return error instanceof Error ? error.message : String(error);
}
