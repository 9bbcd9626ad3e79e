// Rate limits for all processes: requests per IP address, mails per e-mail address, and mails and wrong codes in total.
import { isIPv6 } from 'node:net';
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import type { Database } from '../db/database.ts';
import type { Log } from './context.ts';
import { openRateCounts } from './stores/rate-counts.ts';

/**
 * Kinds of requests with separate counts: requesting a mail, using a link or code, getting tokens, starting a sign-in
 * at a provider.
 */
export type LimitedRequest = 'otp' | 'verify' | 'token' | 'authorize';

export type Limits = {
  /** Counts a request. Returns whether it is allowed. */
  countRequest(kind: LimitedRequest, ip: string): Promise<boolean>;
  /** Undoes the counting of a request. */
  uncountRequest(kind: LimitedRequest, ip: string): Promise<void>;
  /** Returns whether the address may get another mail in this hour, without counting. */
  mayMail(email: string): Promise<boolean>;
  /** Returns whether the portal may send another mail to any address, without counting. */
  mayMailAnybody(): Promise<boolean>;
  /** Counts an enqueued mail. */
  countMail(email: string): Promise<void>;
  /**
   * Returns whether codes are checked, without counting: false after too many wrong codes for all addresses together.
   */
  mayTypeCode(): Promise<boolean>;
  /** Counts a wrong code. */
  countWrongCode(): Promise<void>;
};

type Rule = { points: number; duration: number };
type Limiter = Pick<RateLimiterMemory, 'consume' | 'get' | 'reward'>;
/** The counts are stored in `db`; errors of it are logged. */
type Counts = { db: Database; log: Log };

// Many learners may share an IP address, for example a class. So mails are limited by e-mail address first, and only
// refused links, codes and refreshes count. The numbers for these are Supabase Auth's.
const PER_IP = {
  otp: { points: 300, duration: 300 },
  verify: { points: 30, duration: 300 },
  token: { points: 30, duration: 60 },
  authorize: { points: 300, duration: 300 },
};
// Supabase Auth's limit for a whole server. Here it applies to each address, so that nobody can use up the mails of
// others.
const MAILS = { points: 30, duration: 3600 };
// Limits for all IP addresses together. The first allows each learner of the largest cohort two mails. With the second,
// an attacker who never stops would guess one code right in six weeks, as each guess has a chance of one in a million.
const ALL_MAILS = { points: 20_000, duration: 300 };
const ALL_WRONG_CODES = { points: 1_000, duration: 3600 };
const ALL = 'all';

const NO_LIMITS: Limits = {
  countRequest: async () => true,
  uncountRequest: async () => undefined,
  mayMail: async () => true,
  mayMailAnybody: async () => true,
  countMail: async () => undefined,
  mayTypeCode: async () => true,
  countWrongCode: async () => undefined,
};

/**
 * Counts in memory on the embedded engine, which has one process, and in the table auth_rate on PostgreSQL. If the
 * table cannot be used, each process counts by itself and logs that once (0015). `on` false allows everything.
 */
export function openLimits({ on, db, log }: Counts & { on: boolean }): Limits {
  if (!on) return NO_LIMITS;
  const counts = { db, log };
  const perIp = {
    otp: openLimiter('otp', PER_IP.otp, counts),
    verify: openLimiter('verify', PER_IP.verify, counts),
    token: openLimiter('token', PER_IP.token, counts),
    authorize: openLimiter('authorize', PER_IP.authorize, counts),
  };
  const mails = openLimiter('mail', MAILS, counts);
  const allMails = openLimiter('mails', ALL_MAILS, counts);
  const wrongCodes = openLimiter('wrong-codes', ALL_WRONG_CODES, counts);
  return {
    countRequest: (kind, ip) => consume(perIp[kind], findNetwork(ip)),
    uncountRequest: async (kind, ip) => {
      await perIp[kind].reward(findNetwork(ip));
    },
    mayMail: (email) => hasRoom(mails, MAILS, email),
    mayMailAnybody: () => hasRoom(allMails, ALL_MAILS, ALL),
    countMail: async (email) => {
      await consume(mails, email);
      await consume(allMails, ALL);
    },
    mayTypeCode: () => hasRoom(wrongCodes, ALL_WRONG_CODES, ALL),
    countWrongCode: async () => {
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

/** Returns the part of an IP address that its user cannot choose: all of an IPv4 address, the first 64 bits of IPv6. */
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
