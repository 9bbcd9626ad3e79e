// What every decision of the sign-in service is handed: the database, the rules, the clock.
import type { Logger } from 'pino';
import type { Database } from '../db/database.ts';
import type { OpenidProvider } from '../gateways/openid-provider.ts';
import type { AccessTokens } from './access-tokens.ts';
import type { Limits } from './limits.ts';
import type { createMailWriter } from './mail/sign-in-mail.ts';
import type { Secrets } from './secrets.ts';
import type { AuthBrand, AuthSettings } from './settings.ts';
import type { SigningKeys } from './signing-keys.ts';

export const DAY_SECONDS = 86_400;

export type Log = Pick<Logger, 'info' | 'warn' | 'error'>;

export type AuthContext = {
  db: Database;
  settings: AuthSettings;
  brand: AuthBrand;
  secrets: Secrets;
  keys: SigningKeys;
  tokens: AccessTokens;
  limits: Limits;
  /** Signing in with Google; null when it is not configured. */
  provider: OpenidProvider | null;
  /** The only clock of every decision. */
  now: () => Date;
  log: Log;
  /** Writes a sign-in mail. */
  writeMail: ReturnType<typeof createMailWriter>;
  /** Lets the job worker look for due jobs of a lane. */
  wakeJobs: (lane: 'mail') => void;
  /** Counts a session that was started, by how: otp or oauth. */
  noteSignIn: (method: string) => void;
};

/** Sessions that were last refreshed, or began, before these times have ended. */
export function findSessionEnds({ sessionIdleDays, sessionMaxDays }: AuthSettings, now: Date) {
  return {
    refreshedBefore: moveTime(now, -sessionIdleDays * DAY_SECONDS),
    startedBefore: moveTime(now, -sessionMaxDays * DAY_SECONDS),
  };
}

/** `now`, moved by seconds; negative for the past. */
export function moveTime(now: Date, seconds: number): Date {
  return new Date(now.getTime() + seconds * 1000);
}
