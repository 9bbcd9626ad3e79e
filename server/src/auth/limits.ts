// How often one IP address may call, and how many mails one address may get in an hour; counted for all processes.
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
  /** Whether the address may get another mail in this hour; counts nothing. */
  mayMail(email: string): Promise<boolean>;
  /** Counts a mail that was promised. */
  countMail(email: string): Promise<void>;
};

type Rule = { points: number; duration: number };
type Limiter = Pick<RateLimiterMemory, 'consume' | 'get'>;
/** Where the counts are kept. */
type Counts = { db: Database; log: Log };

// Supabase Auth's: 30 in 5 minutes; for tokens 150 in 5 minutes in bursts of 30, which is 30 a minute.
const PER_IP = {
  otp: { points: 30, duration: 300 },
  verify: { points: 30, duration: 300 },
  token: { points: 30, duration: 60 },
  // Ours: each leaves a row for ten minutes. A class behind one address must get through.
  authorize: { points: 300, duration: 300 },
};
// Supabase Auth's figure for a whole server; here for one address, so that nobody can use up everybody's mails.
const MAILS = { points: 30, duration: 3600 };

const NO_LIMITS: Limits = {
  countRequest: async () => true,
  mayMail: async () => true,
  countMail: async () => undefined,
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
  return {
    countRequest: (kind, ip) => consume(perIp[kind], findNetwork(ip)),
    mayMail: async (email) => ((await mails.get(email))?.consumedPoints ?? 0) < MAILS.points,
    countMail: async (email) => {
      await consume(mails, email);
    },
  };
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
