// Converts a user to the form of the protocol, for GET /user, session responses and token claims.
import type { UserRow } from './stores/users.ts';

/** `provider` is the one with which the user signed in first. */
export function listProviders(user: UserRow): { provider: string; providers: string[] } {
  const providers = [...new Set(user.identities.map((identity) => identity.provider))];
  return { provider: providers[0] ?? 'email', providers };
}

/** Returns the metadata that the user may edit, overridden by facts that the service has verified. */
export function presentMetadata(user: UserRow): Record<string, unknown> {
  return {
    ...user.user_metadata,
    sub: user.id,
    email: user.email,
    email_verified: true,
    phone_verified: false,
  };
}

/** Returns how the user has proved the identity. The service has no second factors. */
export function presentProofs({ identities }: Pick<UserRow, 'identities'>) {
  return {
    identities: identities.map((identity) => ({ ...identity, email: identity.identity_data.email })),
    factors: [],
  };
}

/** Returns the user object of the protocol. */
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
