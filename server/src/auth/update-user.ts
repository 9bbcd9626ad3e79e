// Lets users change their own metadata, and nothing else.
import type { Identity } from './access-tokens.ts';
import { authError } from './auth-error.ts';
import type { AuthContext } from './context.ts';
import { findUser, type UserRow, updateMetadata } from './users.sql.ts';

// Every access token contains the metadata, and access tokens must fit into a request header.
const MAX_METADATA_BYTES = 4096;
// Deeply nested JSON overflows the stack of PGlite. PGlite then returns wrong rows or never returns.
const MAX_METADATA_DEPTH = 32;
// Matches the two escapes of JSON.stringify that PostgreSQL's jsonb refuses: NUL, and half of a surrogate pair.
const UNSTORABLE = /(?<!\\)(?:\\\\)*\\u(?:0000|d[89a-f])/;

/**
 * Merges `data` into the user's metadata, and returns the user.
 * @throws validation_failed if `data` is too deep, or contains a character that PostgreSQL cannot store.
 * @throws validation_failed if `data` or the merged metadata is too large.
 */
export async function updateUser(
  { db, now }: AuthContext,
  { auth_id }: Identity,
  data: Record<string, unknown>,
): Promise<UserRow> {
  if (isDeeperThan(data, MAX_METADATA_DEPTH)) {
    throw authError(400, 'validation_failed', `data must be at most ${MAX_METADATA_DEPTH} levels deep`);
  }
  const text = JSON.stringify(data);
  checkSize(text);
  if (UNSTORABLE.test(text)) {
    throw authError(400, 'validation_failed', 'data contains a character that cannot be stored');
  }
  return db.transaction(async (tx) => {
    await updateMetadata(tx, auth_id, data, now());
    const user = await findUser(tx, auth_id);
    if (user === null) throw authError(403, 'user_not_found', 'User from sub claim in JWT does not exist');
    checkSize(JSON.stringify(user.user_metadata));
    return user;
  });
}

function checkSize(text: string): void {
  if (Buffer.byteLength(text) <= MAX_METADATA_BYTES) return;
  throw authError(400, 'validation_failed', `data must be at most ${MAX_METADATA_BYTES} bytes`);
}

// The depth is checked before JSON.stringify, because very deep data would overflow the stack of Node too.
function isDeeperThan(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((inner) => isDeeperThan(inner, levels - 1));
}
