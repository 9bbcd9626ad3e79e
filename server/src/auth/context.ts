// The settings of the sign-in service, and the dependencies that its functions get: database, clock and others.
import type { Logger } from 'pino';
import type { Database } from '../db/database.ts';
import type { OpenidProvider } from '../gateways/openid-provider.ts';
import type { MailBrand } from '../mail/mail-frame.ts';
import type { Limits } from './limits.ts';
import type { Secrets } from './secrets.ts';
import type { createMailWriter } from './sign-in-mail.ts';
import type { SigningKeys } from './signing-keys.ts';
import type { AccessTokens } from './tokens.ts';

/**
 * Settings of the sign-in service. `publicUrl` is the portal's origin. `secretKey` has 32 random bytes. Default values
 * are the same as in Supabase Auth.
 */
export type AuthSettings = {
  publicUrl: string;
  secretKey: Buffer;
  /** Lifetime of an access token. */
  tokenSeconds: number;
  /** Lifetime of a mailed link and of its code. */
  linkSeconds: number;
  /** Minimum time between two mails to one address. */
  mailIntervalSeconds: number;
  /** For this time after its first use, a refresh token is still accepted. */
  reuseSeconds: number;
  /** A session ends if it was not refreshed for sessionIdleDays, or is older than sessionMaxDays. */
  sessionIdleDays: number;
  sessionMaxDays: number;
  /**
   * Settings of the OpenID Connect provider: Google, or another provider that replaces it. Null if sign-in with a
   * provider is not configured.
   */
  google: { clientId: string; clientSecret: string; issuer: string } | null;
  /** If false, there are no rate limits per IP address, per hour or in total. */
  rateLimits: boolean;
};

export const DAY_SECONDS = 86_400;

export type Log = Pick<Logger, 'info' | 'warn' | 'error'>;

export type AuthContext = {
  db: Database;
  settings: AuthSettings;
  brand: MailBrand;
  secrets: Secrets;
  keys: SigningKeys;
  tokens: AccessTokens;
  limits: Limits;
  /** The client for sign-in with Google; null if sign-in with Google is not configured. */
  provider: OpenidProvider | null;
  /** Returns the current time. All code of the service uses this clock, so that tests can set the time. */
  now: () => Date;
  log: Log;
  /** Returns subject, text and HTML of a sign-in mail. */
  writeMail: ReturnType<typeof createMailWriter>;
  /** Makes the job worker look for due mails immediately, without waiting for its next poll. */
  wakeJobs: (lane: 'mail') => void;
  /** Counts a new session in the metrics, by its sign-in method: otp (mail) or oauth (Google). */
  noteSignIn: (method: string) => void;
};

/**
 * Returns two times. A session has ended if it was last refreshed before `refreshedBefore`, or started before
 * `startedBefore`.
 */
export function findSessionEnds({ sessionIdleDays, sessionMaxDays }: AuthSettings, now: Date) {
  return {
    refreshedBefore: moveTime(now, -sessionIdleDays * DAY_SECONDS),
    startedBefore: moveTime(now, -sessionMaxDays * DAY_SECONDS),
  };
}

/** Returns `now` plus `seconds`, which may be negative. */
export function moveTime(now: Date, seconds: number): Date {
  return new Date(now.getTime() + seconds * 1000);
}
