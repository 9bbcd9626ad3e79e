// The embedded sign-in service: implements the Supabase Auth protocol below /auth/v1 and mails sign-in links.
import type { Database, Db } from '../db/database.ts';
import type { Mailer } from '../gateways/mailer.ts';
import { openOpenidProvider } from '../gateways/openid-provider.ts';
import type { JobHandlers } from '../jobs/run-job.ts';
import { type Identity, openAccessTokens } from './access-tokens.ts';
import type { AuthContext, Log } from './context.ts';
import { openLimits } from './limits.ts';
import { createMailWriter } from './mail/sign-in-mail.ts';
import { presentProofs } from './present-user.ts';
import { createAuthRoutes } from './routes/auth-routes.ts';
import { deriveSecrets } from './secrets.ts';
import type { AuthBrand, AuthSettings } from './settings.ts';
import { openSigningKeys, opensSigningKey, type SigningKeys } from './signing-keys.ts';
import { adoptMails } from './stores/mails.ts';
import { listSigningKeys } from './stores/signing-keys.ts';
import { findUser } from './stores/users.ts';
import { purgeExpired } from './usecases/purge-expired.ts';
import { sendSignInMail } from './usecases/send-sign-in-mail.ts';

export type { Identity } from './access-tokens.ts';
export type { AuthBrand, AuthSettings } from './settings.ts';
export { revokeSessions } from './usecases/end-sessions.ts';

export type AuthService = {
  /** Register it with the prefix /auth/v1. */
  routes: ReturnType<typeof createAuthRoutes>;
  /**
   * Returns the identity in an access token; null if the token is altered, expired or of another service. Does not
   * check the session: to do so, join the view signed_in on `session_id` in the statement of the call.
   */
  verify(token: string): Promise<Identity | null>;
  /** Returns how a user has proved the identity (R-ENT-01). */
  describeProofs(userId: string): Promise<{ identities: unknown[]; factors: unknown[] }>;
  /** Handlers of this service for the job queue. */
  jobHandlers: JobHandlers;
  /** Deletes expired rows. */
  purgeExpired(): Promise<void>;
  /** Takes over mails that the previous version, without a job queue, has not sent for `idleSeconds`. */
  adoptMails(idleSeconds: number): Promise<void>;
  /** True if sign-in with Google is configured. */
  google: boolean;
  /**
   * Creates a new signing key and returns its id. Tokens of the old key stay valid until they expire. With `revoke`,
   * for a key that may be stolen, they are refused after ten seconds at most.
   */
  rotateKeys: SigningKeys['rotate'];
};

/**
 * Opens the service on a migrated database. All decisions use the clock `now`.
 * @throws DatabaseError naming SECRET_KEY if the database was made with another one.
 */
export async function openAuthService({
  db,
  mailer,
  brand,
  settings,
  now,
  noteSignIn,
  wakeJobs,
  log,
}: {
  db: Database;
  mailer: Mailer;
  brand: AuthBrand;
  settings: AuthSettings;
  now: () => Date;
  noteSignIn: AuthContext['noteSignIn'];
  wakeJobs: AuthContext['wakeJobs'];
  log: Log;
}): Promise<AuthService> {
  const secrets = deriveSecrets(settings.secretKey);
  const keys = await openSigningKeys({ db, sealKey: secrets.sealKey, now });
  const issuer = new URL('/auth/v1', settings.publicUrl).href;
  const tokens = openAccessTokens({ keys, issuer, tokenSeconds: settings.tokenSeconds, now });
  const context: AuthContext = {
    db,
    settings,
    brand,
    secrets,
    keys,
    tokens,
    limits: openLimits({ on: settings.rateLimits, db, log }),
    provider: openGoogle(settings, now),
    now,
    log,
    writeMail: createMailWriter({ brand, linkSeconds: settings.linkSeconds }),
    wakeJobs,
    noteSignIn,
  };
  return {
    routes: createAuthRoutes(context),
    verify: tokens.verify,
    describeProofs: async (userId) => presentProofs((await findUser(db, userId)) ?? { identities: [] }),
    jobHandlers: {
      'sign-in-mail': { run: (job, { signal }) => sendSignInMail(context, mailer, job, signal) },
    },
    purgeExpired: () => purgeExpired(context),
    adoptMails: (idleSeconds) =>
      adoptMails(db, { idleSeconds, linkSeconds: context.settings.linkSeconds, now: now() }),
    google: context.provider !== null,
    rotateKeys: keys.rotate,
  };
}

/** True if `secretKey` decrypts the signing key in the database, or there is none. */
export function opensWithSecretKey(db: Db, secretKey: Buffer): Promise<boolean> {
  return opensSigningKey(db, deriveSecrets(secretKey).sealKey);
}

/** True if the database contains nothing that needs an existing SECRET_KEY. */
export async function hasNoSigningKeys(db: Db): Promise<boolean> {
  return (await listSigningKeys(db)).length === 0;
}

/**
 * Like `AuthService.rotateKeys`, for the operator's tool, whose process has no open service.
 * @throws DatabaseError naming SECRET_KEY if the database was made with another one.
 */
export async function rotateSigningKey(
  { db, secretKey, now }: { db: Database; secretKey: Buffer; now: () => Date },
  options: { revoke: boolean },
): Promise<string> {
  const keys = await openSigningKeys({ db, sealKey: deriveSecrets(secretKey).sealKey, now });
  return keys.rotate(options);
}

function openGoogle({ google, publicUrl }: AuthSettings, now: () => Date) {
  if (google === null) return null;
  return openOpenidProvider({ ...google, redirectUri: new URL('/auth/v1/callback', publicUrl).href }, now);
}
