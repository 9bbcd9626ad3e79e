// Converts a user to the JSON of Supabase Auth, for GET /user, session responses and token claims. Lets users change
// their metadata.
import type { AuthContext } from './context.ts';
import type { Identity } from './tokens.ts';
import { findUser, type UserRow, updateMetadata } from './users.sql.ts';
import { authError } from './wire.ts';

/** Returns the names of the user's sign-in providers. `provider` is the one that the user used first. */
export function listProviders(user: UserRow): { provider: string; providers: string[] } {
  const providers = [...new Set(user.identities.map((identity) => identity.provider))];
  return { provider: providers[0] ?? 'email', providers };
}

/**
 * Returns the user's metadata, which the user can edit. Fields that the service sets replace fields of the same name.
 */
export function presentMetadata(user: UserRow): Record<string, unknown> {
  return {
    ...user.user_metadata,
    sub: user.id,
    email: user.email,
    email_verified: true,
    phone_verified: false,
  };
}

/** Returns the identities (e-mail, Google) and second factors (always none) of a user, in Supabase Auth's format. */
export function presentProofs({ identities }: Pick<UserRow, 'identities'>) {
  return {
    identities: identities.map((identity) => ({ ...identity, email: identity.identity_data.email })),
    factors: [],
  };
}

export function presentUser(user: UserRow) {
  return {
    id: user.id,
    aud: 'authenticated',
    role: 'authenticated',
    email: user.email,
    email_confirmed_at: user.email_confirmed_at,
    phone: '',
    confirmed_at: user.email_confirmed_at,
    last_sign_in_at: user.last_sign_in_at,
    app_metadata: listProviders(user),
    user_metadata: presentMetadata(user),
    ...presentProofs(user),
    created_at: user.created_at,
    updated_at: user.updated_at,
    is_anonymous: false,
  };
}

// Every access token contains the metadata, and access tokens must fit into a request header.
const MAX_METADATA_BYTES = 4096;
// Deeply nested JSON overflows the stack of PGlite. Afterwards PGlite returns wrong rows, or never returns.
const MAX_METADATA_DEPTH = 32;
// Matches the two escapes of JSON.stringify that PostgreSQL's jsonb refuses: NUL, and half of a surrogate pair.
const UNSTORABLE = /(?<!\\)(?:\\\\)*\\u(?:0000|d[89a-f])/;

/**
 * Merges `data` into the user's metadata, and returns the user.
 * @throws validation_failed if `data` is nested too deeply or contains a character that PostgreSQL cannot store.
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

// Checks the depth of `data` before JSON.stringify, because very deep data would also overflow the stack of Node.
function isDeeperThan(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((inner) => isDeeperThan(inner, levels - 1));
}
