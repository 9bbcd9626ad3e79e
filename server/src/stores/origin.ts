// Says by what way and from which IP address an act came, for the lines of the audit log (R-TRAIL-02).
import { AsyncLocalStorage } from 'node:async_hooks';

// The address is no input of any rule: only the audit log needs it. So it is not passed through all functions between
// the route and the log.
const origins = new AsyncLocalStorage<string | null>();

/**
 * Returns by what way `actor` acts. 'learner' and the address of a member of the team mean a page; 'key:' and a name mean
 * an API key.
 */
export function wayOf(actor: string): 'page' | 'key' | 'operator' | 'portal' {
  if (actor === 'operator' || actor === 'portal') return actor;
  return actor.startsWith('key:') ? 'key' : 'page';
}

/** Runs `work`. The audit lines of staff that it writes name the address `ip`; null means that none is known. */
export function withOrigin<T>(ip: string | null, work: () => T): T {
  return origins.run(ip, work);
}

/**
 * Returns the address of the request that is being handled, or that started the job which runs. Null for other work, and
 * for calls of learners.
 */
export function currentOrigin(): string | null {
  return origins.getStore() ?? null;
}

/** Returns the address for an audit line of `actor`. Null unless the actor is a member of the team, in a request. */
export function originOf(actor: string): string | null {
  return actor.includes('@') || actor.startsWith('key:') ? currentOrigin() : null;
}
