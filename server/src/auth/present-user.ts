// Converts a user to the JSON of Supabase Auth, for GET /user, session responses and token claims.
import type { UserRow } from './users.sql.ts';

/** Returns the names of the user's sign-in providers. `provider` is the one that the user used first. */
export function listProviders(user: UserRow): { provider: string; providers: string[] } {
  const providers = [...new Set(user.identities.map((identity) => identity.provider))];
  return { provider: providers[0] ?? 'email', providers };
}

/**
 * Returns the metadata that the user may edit. Values that the service knows, such as the e-mail address, replace the
 * user's values in fields of the same name.
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

/**
 * Returns the user's identities (e-mail, Google) in the format of Supabase Auth. The list of second factors is always
 * empty.
 */
export function presentProofs({ identities }: Pick<UserRow, 'identities'>) {
  return {
    identities: identities.map((identity) => ({ ...identity, email: identity.identity_data.email })),
    factors: [],
  };
}

/** Returns the user as JSON of Supabase Auth's protocol. */
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
