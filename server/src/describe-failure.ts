// Describes an error that ends the portal or script/portal in one line, without a stack trace.
import { BackupError } from './backup/encryption.ts';
import { type Config, ConfigError } from './config.ts';
import { DatabaseError } from './db/database.ts';
import { OperatorError } from './operator/command.ts';
import { WorkersError } from './serve-with-workers.ts';

const KINDS = [ConfigError, DatabaseError, WorkersError, OperatorError, BackupError];
const NO_RIGHTS = /^(42501|3F000)$/;
const NO_ROOM = /^(ENOSPC|EDQUOT|EROFS|53100)$/;

/** Advice for an operator whose database user may not create tables. */
export const NEEDS_SCHEMA_RIGHTS =
  'Make it the owner of the database (createdb -O <user> <database>), or let the owner say: grant usage, create on schema public to <user>';

/**
 * Returns a line with the error, the variable or folder that caused it, and advice for the operator. Returns null if
 * the error is a bug; the caller then prints the stack trace. `config` is null if the configuration is invalid.
 */
export function describeFailure(error: unknown, config: Config | null): string | null {
  if (KINDS.some((kind) => error instanceof kind)) return (error as Error).message;
  if (!(error instanceof Error) || config === null) return null;
  const { code = '', syscall } = error as NodeJS.ErrnoException;
  if (
    syscall === 'listen' ||
    (syscall === 'getaddrinfo' && 'hostname' in error && error.hostname === config.host)
  )
    return describeAddress(code, config);
  if (NO_RIGHTS.test(code))
    return `DATABASE_URL: its user may not make tables there (${error.message}). ${NEEDS_SCHEMA_RIGHTS}.`;
  if (!NO_ROOM.test(code)) return null;
  const place = config.databaseUrl === null ? `DATA_DIR ${config.dataDir}` : 'DATABASE_URL: its disk';
  return `${place} cannot be written (${error.message}). Make room there, then start again; nothing is lost.`;
}

function describeAddress(code: string, { host, port }: Config): string {
  if (code === 'EADDRINUSE')
    return `PORT ${port} is in use by another program on ${host}. Stop that program, or set another port. Example: PORT=${port === 65_535 ? 3000 : port + 1}`;
  if (code === 'EACCES')
    return `PORT ${port} is reserved for the superuser. Set one from 1024 on, and let a proxy listen on ${port}. Example: PORT=3000`;
  return `HOST ${host} is no address of this machine (${code}). Set one that it has. Example: HOST=127.0.0.1`;
}
