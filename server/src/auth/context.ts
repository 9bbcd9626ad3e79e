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
 * Settings of the sign-in service, with the default values of Supabase Auth. `publicUrl` is the portal's origin.
 * `secretKey` has 32 random bytes.
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
  /** A refresh token that was used is still accepted for this time. */
  reuseSeconds: number;
  /** A session ends if it was not refreshed for sessionIdleDays, or is older than sessionMaxDays. */
  sessionIdleDays: number;
  sessionMaxDays: number;
  /** The OpenID Connect provider: Google, or another one in its place. Null if none is configured. */
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
  /** The client of the OpenID Connect provider; null if none is configured. */
  provider: OpenidProvider | null;
  /** Returns the current time. Tests set this clock. */
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

/** Returns the time that is `seconds` later than `now`; earlier if `seconds` is negative. */
export function moveTime(now: Date, seconds: number): Date {
  return new Date(now.getTime() + seconds * 1000);
}
