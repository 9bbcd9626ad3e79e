// Finds the PostgreSQL that may be written to, among the hosts that DATABASE_URL names.
import pg from 'pg';
import { DatabaseError } from './database-error.ts';

/** For a host to accept a connection, and once more to answer the question. */
const PATIENCE_MS = 3_000;
/** PgBouncer refuses what it does not know among the parameters of a new connection with this code. */
const PROTOCOL_VIOLATION = '08P01';

export type WritableHost = {
  /** Its own connection string. */
  url: string;
  /** Connections that the server lets this user have in this database, those of other programs included. */
  room: number;
  /** Parameters of a connection that it accepts; a pooler may take none. */
  parameters: { statement_timeout?: number };
};

type Asked = { read_only: boolean; room: number; timeline: string };

const ASK = `
  select current_setting('transaction_read_only') = 'on' as read_only,
         least(
           current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int
             - coalesce(current_setting('reserved_connections', true)::int, 0),
           (select nullif(rolconnlimit, -1) from pg_roles where rolname = current_user),
           (select nullif(datconnlimit, -1) from pg_database where datname = current_database())) as room`;
// Not asked of a single host: not every service that calls itself PostgreSQL answers it.
const ASK_TIMELINE = `${ASK},
         case when pg_is_in_recovery() then '' else left(pg_walfile_name(pg_current_wal_lsn()), 8) end as timeline`;

/** `postgres://user:pw@a:1,b:2/db?x` -> one connection string a host; pg refuses several hosts in one. */
export function splitHosts(url: string): string[] {
  const match = /^(postgres(?:ql)?:\/\/(?:[^@/]*@)?)([^/?]+)(.*)$/.exec(url);
  if (!match) return [url];
  const [, head, hosts, tail] = match;
  return (hosts ?? '').split(',').map((host) => `${head}${host.trim()}${tail}`);
}

/** How an operator knows the host; without user and password. */
export function hostOf(url: string): string {
  return URL.parse(url)?.host ?? 'host';
}

/**
 * Asks all of `hosts` at once. When several may be written to, the one that was promoted last is meant: an old primary
 * that comes back knows of nothing that was written since.
 * @throws DatabaseError when no host answers, or none of them may be written to.
 */
export async function findWritableHost(
  hosts: string[],
  parameters: WritableHost['parameters'],
): Promise<WritableHost> {
  const faults: string[] = [];
  const answers = await Promise.all(
    hosts.map(async (url) => {
      const host = hostOf(url);
      try {
        const answer = await ask(url, parameters, hosts.length > 1 ? ASK_TIMELINE : ASK);
        if (!answer.read_only) return { ...answer, url };
        faults.push(`${host} is read-only`);
      } catch (error) {
        faults.push(`${host}: ${describeFault(error)}`);
      }
      return null;
    }),
  );
  const [newest] = answers
    .filter((answer) => answer !== null)
    .sort((a, b) => (a.timeline === b.timeline ? 0 : a.timeline < b.timeline ? 1 : -1));
  if (newest) return { url: newest.url, room: newest.room, parameters: newest.parameters };
  throw new DatabaseError(`DATABASE_URL: no writable PostgreSQL answers (${faults.join('; ')})`);
}

async function ask(
  url: string,
  parameters: WritableHost['parameters'],
  question: string,
): Promise<Asked & Pick<WritableHost, 'parameters'>> {
  const client = new pg.Client({
    ...parameters,
    connectionString: url,
    connectionTimeoutMillis: PATIENCE_MS,
  });
  client.on('error', () => undefined);
  try {
    await client.connect();
    const query = { text: question, query_timeout: PATIENCE_MS };
    const { rows } = await client.query<Asked>(query);
    if (!rows[0]) throw new Error('no answer');
    return { ...rows[0], timeline: rows[0].timeline ?? '', parameters };
  } catch (error) {
    const refused = error instanceof Error && 'code' in error && error.code === PROTOCOL_VIOLATION;
    if (!refused || Object.keys(parameters).length === 0) throw error;
    return await ask(url, {}, question);
  } finally {
    // A server that stands still says no goodbye, and is not waited for.
    client.end().catch(() => undefined);
  }
}

function describeFault(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(describeFault).join(', ');
  return error instanceof Error ? error.message : String(error);
}
