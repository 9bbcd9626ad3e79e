// The embedded sign-in service: speaks the Supabase Auth protocol below /auth/v1 and mails the links.
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
  /** To be registered with the prefix /auth/v1. */
  routes: ReturnType<typeof createAuthRoutes>;
  /**
   * Whom an access token names, or null when it is not ours, altered or expired. Whether the session still lives is
   * not asked: join the view signed_in on `session_id` in the statement that does the work.
   */
  verify(token: string): Promise<Identity | null>;
  /** How a user has proved who they are (R-ENT-01). */
  describeProofs(userId: string): Promise<{ identities: unknown[]; factors: unknown[] }>;
  /** What the job queue is to run for this service. */
  jobHandlers: JobHandlers;
  /** Deletes expired rows. */
  purgeExpired(): Promise<void>;
  /** Takes over what the version before, without a job queue, has not sent for so many seconds. */
  adoptMails(idleSeconds: number): Promise<void>;
  /** Whether signing in with Google is configured. */
  google: boolean;
  /**
   * Lets a new key sign and answers its name. Tokens of the old one live on to their end, or with `revoke`, for a key
   * that somebody else may have, no longer than ten seconds.
   */
  rotateKeys: SigningKeys['rotate'];
};

/**
 * Opens the service on a migrated database. `now` is the clock of every decision.
 * @throws DatabaseError naming SECRET_KEY when the database was made with another one.
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

/** Whether what is encrypted in the database opens with `secretKey`. */
export function opensWithSecretKey(db: Db, secretKey: Buffer): Promise<boolean> {
  return opensSigningKey(db, deriveSecrets(secretKey).sealKey);
}

/** True for a database that needs no SECRET_KEY of older days. */
export async function hasNoSigningKeys(db: Db): Promise<boolean> {
  return (await listSigningKeys(db)).length === 0;
}

/**
 * As `AuthService.rotateKeys`, for the operator's tool while no service is open in its process.
 * @throws DatabaseError naming SECRET_KEY when the database was made with another one.
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
