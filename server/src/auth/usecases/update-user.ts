// Lets users change what they say about themselves, and nothing else.
import type { Identity } from '../access-tokens.ts';
import { authError } from '../auth-error.ts';
import type { AuthContext } from '../context.ts';
import { findUser, type UserRow, updateMetadata } from '../stores/users.ts';

// It travels in every access token, which has to fit into a request's headers.
const MAX_METADATA_BYTES = 4096;
// Deep documents overflow the stack of the embedded engine, which then returns wrong rows or never returns.
const MAX_METADATA_DEPTH = 32;
// What jsonb refuses: NUL and half a surrogate pair, as JSON.stringify writes them.
const UNSTORABLE = /(?<!\\)(?:\\\\)*\\u(?:0000|d[89a-f])/;

/**
 * Merges `data` into the user's metadata.
 * @throws validation_failed when it is too big or too deep, before any SQL, or cannot be stored.
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

// Before JSON.stringify, which overflows the stack of Node as well.
function isDeeperThan(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((inner) => isDeeperThan(inner, levels - 1));
}
