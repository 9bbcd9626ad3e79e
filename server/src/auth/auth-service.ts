// The embedded sign-in service: implements Supabase Auth's protocol below /auth/v1 and mails sign-in links.
import type { Database, Db } from '../db/database.ts';
import type { Mailer } from '../gateways/mailer.ts';
import { openOpenidProvider } from '../gateways/openid-provider.ts';
import type { JobHandlers } from '../jobs/run-job.ts';
import { MAIL_LOG } from '../mail/mail-log.ts';
import { type AuthContext, DAY_SECONDS, findSessionEnds, moveTime } from './context.ts';
import { openLimits } from './limits.ts';
import { enqueueSignInMail, sendSignInMail } from './mailed-link.ts';
import { PROVIDER_FLOW_SECONDS } from './provider-sign-in.ts';
import {
  deleteExpiredTokens,
  deleteMailWindows,
  deleteWrongCodes,
  limitTimesAhead,
} from './purge-expired.sql.ts';
import { deleteRateCounts } from './rate-counts.sql.ts';
import { createAuthRoutes } from './routes.ts';
import { deriveSecrets } from './secrets.ts';
import { deleteEndedSessions } from './sessions.sql.ts';
import { closeAccount, endSessionsOf, forgetAddress } from './sessions.ts';
import { createMailWriter } from './sign-in-mail.ts';
import { deleteSigningKeys, listSigningKeys } from './signing-keys.sql.ts';
import { openSigningKeys, opensSigningKey } from './signing-keys.ts';
import { openAccessTokens } from './tokens.ts';
import { findUser } from './users.sql.ts';
import { presentProofs } from './users.ts';

export type { AuthSettings } from './context.ts';
export { forgetAddress, revokeSessions } from './sessions.ts';

export type AuthService = Awaited<ReturnType<typeof openAuthService>>;

type Given = Pick<AuthContext, 'db' | 'brand' | 'settings' | 'now' | 'noteSignIn' | 'wakeJobs' | 'log'>;

/**
 * Opens the sign-in service on a migrated database. `now` is the only clock of the service.
 * @throws DatabaseError naming SECRET_KEY if the signing keys in the database were encrypted with another SECRET_KEY.
 */
export async function openAuthService({ mailer, ...given }: Given & { mailer: Mailer }) {
  const { db, settings, now } = given;
  const { publicUrl, google, linkSeconds, tokenSeconds } = settings;
  const secrets = deriveSecrets(settings.secretKey);
  const keys = await openSigningKeys({ db, sealKey: secrets.sealKey, now });
  const tokens = openAccessTokens({ keys, issuer: new URL('/auth/v1', publicUrl).href, tokenSeconds, now });
  const redirectUri = new URL('/auth/v1/callback', publicUrl).href;
  const context: AuthContext = {
    ...given,
    secrets,
    keys,
    tokens,
    limits: openLimits({ on: settings.rateLimits, db, log: given.log }),
    provider: google && openOpenidProvider({ ...google, redirectUri }, now),
    writeMail: createMailWriter({ brand: given.brand, linkSeconds }),
  };
  const jobHandlers: JobHandlers = {
    'sign-in-mail': { ...MAIL_LOG, run: (job, { signal }) => sendSignInMail(context, mailer, job, signal) },
  };
  return {
    /** The routes of the service, as a Fastify plugin. Register the plugin with the prefix /auth/v1. */
    routes: createAuthRoutes(context),
    /**
     * Returns the user and session that an access token names; null if the token is invalid. Does not check that the
     * session is active. For that check, the caller's SQL joins the view signed_in on `session_id`.
     */
    verify: tokens.verify,
    /** Returns the user's identities (e-mail, Google) and second factors, in the format of Supabase Auth (R-ENT-01). */
    describeProofs: async (userId: string): Promise<{ identities: unknown[]; factors: unknown[] }> =>
      presentProofs((await findUser(db, userId)) ?? { identities: [] }),
    /** The job handler that sends sign-in mails. */
    jobHandlers,
    /** Deletes expired rows of the service: links, codes, sessions, rate-limit counts and retired keys. */
    purgeExpired: () => purgeExpired(context),
    /** True if sign-in with Google is configured. */
    google: context.provider !== null,
    /**
     * Creates a new signing key. If the old key was stolen, set `revoke`, which makes tokens of the old key invalid.
     */
    rotateKeys: keys.rotate,
    /**
     * Enqueues a sign-in mail that staff requested, in the caller's transaction. `language` is the language of the
     * mail. The rate limits of sign-in mails apply.
     */
    requestMail: (tx: Db, order: { email: string; language: string }) =>
      enqueueSignInMail(context, tx, {
        ...order,
        create_user: true,
        redirect_to: new URL('/auth/callback', publicUrl).href,
        code_challenge: null,
        code_challenge_method: null,
      }),
    /** Deletes the account of the address `email` in the transaction `tx`, when its person gets another address. */
    closeAccount,
    /** Deletes all that the service holds about an address, in the transaction `tx` that erases its person. */
    forgetAddress,
    /** Ends all sessions of the user with this address, in the caller's transaction. Returns the number of sessions. */
    endSessions: async (tx: Db, email: string) =>
      (await endSessionsOf(tx, { email, unlink: false })).sessions,
  };
}

// A retired key is deleted this time after its last token has expired. After a rotation, another process may sign
// tokens with the old key for up to one second, until this process has reloaded the keys.
const KEY_MARGIN_SECONDS = 3600;

/** The longest period of all limits that are counted in the table auth_rate. */
const RATE_SECONDS = 3600;

/**
 * Deletes expired rows. Also corrects times in the future, which a clock that was ahead has written (see
 * `limitTimesAhead`). Several processes may run this function at the same time.
 */
export async function purgeExpired(context: AuthContext): Promise<void> {
  const { db, settings } = context;
  const now = context.now();
  const { linkSeconds } = settings;
  const lifetimes = { linkSeconds, flowSeconds: PROVIDER_FLOW_SECONDS, rateSeconds: RATE_SECONDS };
  await limitTimesAhead(db, lifetimes, now);
  await deleteExpiredTokens(db, now);
  await deleteEndedSessions(db, findSessionEnds(settings, now));
  await deleteMailWindows(db, moveTime(now, -Math.max(DAY_SECONDS, settings.mailIntervalSeconds)));
  await deleteRateCounts(db, now);
  await deleteWrongCodes(db, moveTime(now, -DAY_SECONDS));
  await deleteSigningKeys(db, moveTime(now, -settings.tokenSeconds - KEY_MARGIN_SECONDS));
}

/** True if `secretKey` decrypts the signing key in the database, or the database has no signing key. */
export function opensWithSecretKey(db: Db, secretKey: Buffer): Promise<boolean> {
  return opensSigningKey(db, deriveSecrets(secretKey).sealKey);
}

/**
 * True if the database has no signing keys. Then nothing in the database was encrypted with an earlier SECRET_KEY, so
 * the portal can create a new SECRET_KEY.
 */
export async function hasNoSigningKeys(db: Db): Promise<boolean> {
  return (await listSigningKeys(db)).length === 0;
}

/**
 * Creates a new signing key, as `AuthService.rotateKeys` does. The operator's command-line tool calls this function,
 * because the sign-in service does not run in the tool's process.
 * @throws DatabaseError naming SECRET_KEY if the signing keys in the database were encrypted with another SECRET_KEY.
 */
export async function rotateSigningKey(
  { db, secretKey, now }: { db: Database; secretKey: Buffer; now: () => Date },
  options: { revoke: boolean },
): Promise<string> {
  const keys = await openSigningKeys({ db, sealKey: deriveSecrets(secretKey).sealKey, now });
  return keys.rotate(options);
}
