// How often one IP address may call, and how many mails one address may get in an hour.
import { isIPv6 } from 'node:net';
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';

/** Kinds of request that are counted apart: asking for mail, spending a link or code, asking for tokens. */
export type LimitedRequest = 'otp' | 'verify' | 'token';

/** Both answer whether it is still allowed, and count it. */
export type Limits = {
  countRequest(kind: LimitedRequest, ip: string): Promise<boolean>;
  countMail(email: string): Promise<boolean>;
};

// Supabase Auth's: 30 in 5 minutes; for tokens 150 in 5 minutes in bursts of 30, which is 30 a minute.
const PER_IP = {
  otp: { points: 30, duration: 300 },
  verify: { points: 30, duration: 300 },
  token: { points: 30, duration: 60 },
};
// Supabase Auth's figure for a whole server; here for one address, so that nobody can use up everybody's mails.
const MAILS = { points: 30, duration: 3600 };

/** Counts in the memory of this process. `on` false allows everything (RATE_LIMITS=off). */
export function openLimits(on: boolean): Limits {
  if (!on) return { countRequest: async () => true, countMail: async () => true };
  const perIp = {
    otp: new RateLimiterMemory(PER_IP.otp),
    verify: new RateLimiterMemory(PER_IP.verify),
    token: new RateLimiterMemory(PER_IP.token),
  };
  const mails = new RateLimiterMemory(MAILS);
  return {
    countRequest: (kind, ip) => consume(perIp[kind], findNetwork(ip)),
    countMail: (email) => consume(mails, email),
  };
}

async function consume(limiter: RateLimiterMemory, key: string): Promise<boolean> {
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
