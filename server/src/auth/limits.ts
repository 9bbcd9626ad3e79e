// Rate limits that all processes share: for requests per IP address, for mails per e-mail address, for all mails
// together, and for all wrong codes together.
import { isIPv6 } from 'node:net';
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import type { Database } from '../db/database.ts';
import type { Log } from './context.ts';
import { openRateCounts } from './rate-counts.sql.ts';

/**
 * The kinds of requests; each kind has its own count. 'otp' requests a mail. 'verify' uses a mailed link or a six-digit
 * code. 'token' refreshes a session or exchanges a PKCE code. 'authorize' starts a sign-in at a provider.
 */
export type LimitedRequest = 'otp' | 'verify' | 'token' | 'authorize';

export type Limits = ReturnType<typeof openLimits>;

/** A limit of `points` requests in `duration` seconds. */
type Rule = { points: number; duration: number };
type Limiter = { [Call in 'consume' | 'get' | 'reward']: (key: string) => Promise<RateLimiterRes | null> };
type Counts = { db: Database; log: Log };

// Supabase Auth sends at most 30 mails an hour in total. The portal applies this limit to each e-mail address, so that
// one person cannot use up the mails of other people.
const MAILS = { points: 30, duration: 3600 };
// Limits for the whole portal. The largest cohort has 10,000 learners: ALL_MAILS allows two mails to each of them in
// five minutes. A six-digit code has a million possible values: with ALL_WRONG_CODES, an attacker needs six weeks to
// try all of them.
const ALL_MAILS = { points: 20_000, duration: 300 };
const ALL_WRONG_CODES = { points: 1_000, duration: 3600 };
const ALL = 'all';

const UNLIMITED: Limiter = { consume: async () => null, get: async () => null, reward: async () => null };

/**
 * Returns functions that count requests and check the limits. Functions with a name in `may…` only check. If `on` is
 * false, there are no limits.
 * The embedded engine has one process, which counts in memory. On PostgreSQL, all processes count in the table
 * auth_rate. If this table cannot be used, each process counts in its own memory and logs the failure once (0015).
 */
export function openLimits({ on, db, log }: Counts & { on: boolean }) {
  const open = (name: string, rule: Rule) => (on ? openLimiter(name, rule, { db, log }) : UNLIMITED);
  // Many learners may share an IP address, for example in a classroom. So the limit of 'otp' is high, and successful
  // requests of 'verify' and successful refreshes do not count. 'verify' and 'token' have the limits of Supabase Auth.
  const perIp: Record<LimitedRequest, Limiter> = {
    otp: open('otp', { points: 300, duration: 300 }),
    verify: open('verify', { points: 30, duration: 300 }),
    token: open('token', { points: 30, duration: 60 }),
    authorize: open('authorize', { points: 300, duration: 300 }),
  };
  const mails = open('mail', MAILS);
  const allMails = open('mails', ALL_MAILS);
  const wrongCodes = open('wrong-codes', ALL_WRONG_CODES);
  return {
    /** Counts a request from an IP address. Returns false if the request is over the limit. */
    countRequest: (kind: LimitedRequest, ip: string) => consume(perIp[kind], findNetwork(ip)),
    /** Subtracts a request from the count. `countRequest` must have counted this request. */
    uncountRequest: async (kind: LimitedRequest, ip: string): Promise<void> => {
      await perIp[kind].reward(findNetwork(ip));
    },
    /** Returns whether the e-mail address may get another mail in this hour. */
    mayMail: (email: string) => hasRoom(mails, MAILS, email),
    /** Returns whether the portal may send another mail, by the limit for all addresses together. */
    mayMailAnybody: () => hasRoom(allMails, ALL_MAILS, ALL),
    /** Counts a mail that was added to the job queue. */
    countMail: async (email: string): Promise<void> => {
      await consume(mails, email);
      await consume(allMails, ALL);
    },
    /** Returns whether codes may be checked, by the limit of wrong codes for all addresses together. */
    mayTypeCode: () => hasRoom(wrongCodes, ALL_WRONG_CODES, ALL),
    /** Counts a wrong code in the total for all addresses. */
    countWrongCode: async (): Promise<void> => {
      await consume(wrongCodes, ALL);
    },
  };
}

async function hasRoom(limiter: Limiter, { points }: Rule, key: string): Promise<boolean> {
  return ((await limiter.get(key))?.consumedPoints ?? 0) < points;
}

function openLimiter(name: string, rule: Rule, { db, log }: Counts): Limiter {
  const memory = new RateLimiterMemory(rule);
  if (db.engine === 'embedded') return memory;
  const shared = openRateCounts(db, name, rule);
  let failing = false;
  async function count<T>(work: (limiter: Limiter) => Promise<T>): Promise<T> {
    try {
      const counted = await work(shared);
      failing = false;
      return counted;
    } catch (error) {
      if (error instanceof RateLimiterRes) throw error;
      if (!failing) log.error({ err: error, limit: name }, 'Requests are counted in this process only');
      failing = true;
      return work(memory);
    }
  }
  return {
    consume: (key) => count((limiter) => limiter.consume(key)),
    get: (key) => count((limiter) => limiter.get(key)),
    reward: (key) => count((limiter) => limiter.reward(key)),
  };
}

async function consume(limiter: Limiter, key: string): Promise<boolean> {
  try {
    await limiter.consume(key);
    return true;
  } catch (refusal) {
    if (refusal instanceof RateLimiterRes) return false;
    throw refusal;
  }
}

/**
 * Returns the part of an IP address that identifies the network of a client: the whole IPv4 address, or the first 64
 * bits of an IPv6 address. A client with an IPv6 address can change the other 64 bits itself.
 */
export function findNetwork(ip: string): string {
  if (!isIPv6(ip)) return ip;
  const mapped = /^::ffff:([\d.]+)$/i.exec(ip);
  if (mapped?.[1] !== undefined) return mapped[1];
  const [head = '', tail = ''] = ip.split('%')[0]?.split('::') ?? [];
  const front = head === '' ? [] : head.split(':');
  const back = tail === '' ? [] : tail.split(':');
  const zeros = ip.includes('::') ? Array<string>(Math.max(0, 8 - front.length - back.length)).fill('0') : [];
  const groups = [...front, ...zeros, ...back].slice(0, 4);
  return groups.map((group) => Number.parseInt(group, 16).toString(16)).join(':');
}
