// How often one IP address may call, how many mails one address and all together may get; counted for all processes.
import { isIPv6 } from 'node:net';
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import type { Database } from '../db/database.ts';
import type { Log } from './context.ts';
import { openRateCounts } from './stores/rate-counts.ts';

/** Kinds of request counted apart: asking for mail, spending a link or code, asking for tokens, leaving for a provider. */
export type LimitedRequest = 'otp' | 'verify' | 'token' | 'authorize';

export type Limits = {
  /** Counts a request; answers whether it is still allowed. */
  countRequest(kind: LimitedRequest, ip: string): Promise<boolean>;
  /** Takes a request that was counted out of the count. */
  uncountRequest(kind: LimitedRequest, ip: string): Promise<void>;
  /** Whether the address may get another mail in this hour; counts nothing. */
  mayMail(email: string): Promise<boolean>;
  /** Whether the portal may send another mail, to whomever; counts nothing. */
  mayMailAnybody(): Promise<boolean>;
  /** Counts a mail that was promised. */
  countMail(email: string): Promise<void>;
  /** Whether typed codes are looked at: false after too many wrong ones, for whatever addresses. Counts nothing. */
  mayTypeCode(): Promise<boolean>;
  /** Counts a wrong code. */
  countWrongCode(): Promise<void>;
};

type Rule = { points: number; duration: number };
type Limiter = Pick<RateLimiterMemory, 'consume' | 'get' | 'reward'>;
/** Where the counts are kept. */
type Counts = { db: Database; log: Log };

// A class behind one IP address must get through: a mail is limited by its address first, and of links, codes and
// tokens only the refused ones count. Those figures are Supabase Auth's.
const PER_IP = {
  otp: { points: 300, duration: 300 },
  verify: { points: 30, duration: 300 },
  token: { points: 30, duration: 60 },
  authorize: { points: 300, duration: 300 },
};
// Supabase Auth's figure for a whole server; here for one address, so that nobody can use up everybody's mails.
const MAILS = { points: 30, duration: 3600 };
// Brakes on many IP addresses together. The largest cohort, each asking twice, stays below the first; at the second, a
// guess in a million each, somebody who never stops meets one right code in six weeks.
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
 * Counts in the memory of the one process on the embedded engine, and in the table auth_rate on PostgreSQL. When that
 * cannot be used, each process counts by itself, and says so once (0015). `on` false allows everything.
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

/** The part of an address that its holder cannot change at will: all of IPv4, the first 64 bits of IPv6. */
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
