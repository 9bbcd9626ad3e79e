// The settings of the sign-in service, and the context that its functions get: database, clock and others.
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
  /** A used refresh token is still accepted for this time, because the client may have missed the response. */
  reuseSeconds: number;
  /** A session ends if it was not refreshed for sessionIdleDays, or is older than sessionMaxDays. */
  sessionIdleDays: number;
  sessionMaxDays: number;
  /** The OpenID Connect provider; `issuer` is the provider's address, such as Google's. Null if none is configured. */
  google: { clientId: string; clientSecret: string; issuer: string } | null;
  /** False disables the rate limits of `openLimits`: per IP address, per hour and for the whole portal. */
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
  /** Returns the current time. */
  now: () => Date;
  log: Log;
  /** Returns subject, text and HTML of a sign-in mail. */
  writeMail: ReturnType<typeof createMailWriter>;
  /** Makes the job worker send due mails immediately. Otherwise the worker finds them at its next poll. */
  wakeJobs: (lane: 'mail') => void;
  /** Counts a new session in the metrics, by its sign-in method: otp (mail) or oauth (Google). */
  noteSignIn: (method: string) => void;
};

/**
 * Returns two times that decide whether a session has ended: its last refresh was before `refreshedBefore`, or its
 * start was before `startedBefore`.
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
