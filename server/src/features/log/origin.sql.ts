// Says who acts, by what way and from which IP address, for the lines of the audit log (R-TRAIL-02).
import { AsyncLocalStorage } from 'node:async_hooks';

/** A member of the team who acts, as the log keeps it (N-320). `id` is app_user.id. */
type Actor = { id: string; email: string; name: string | null };

/** Where an act comes from. `ip` null: no address is known. `actor` null: nobody of the team acts. */
export type Origin = { ip: string | null; actor: Actor | null };
export const UNKNOWN_ORIGIN: Origin = { ip: null, actor: null };

// No rule needs these values: only the audit log does. So they are not passed through all functions between the route
// and the log.
const origins = new AsyncLocalStorage<Origin>();

/** SQL list of the columns of an audit line whose values `originOf` returns. */
export const ORIGIN_COLUMNS = 'via, ip, actor_id, actor_name';

type Way = 'page' | 'key' | 'operator' | 'portal';

/**
 * Returns by what way `actor` acts. 'learner' and the address of a member of the team mean a page; 'key:' and a name mean
 * an API key.
 */
function wayOf(actor: string): Way {
  if (actor === 'operator' || actor === 'portal') return actor;
  return actor.startsWith('key:') ? 'key' : 'page';
}

/** Runs `work`. The audit lines of staff that it writes name this origin. */
export function withOrigin<T>(origin: Origin, work: () => T): T {
  return origins.run(origin, work);
}

/**
 * Returns the origin of the request that is being handled, or of the request that started the job which runs. Has only
 * nulls for other work, and for calls of learners.
 */
export function currentOrigin(): Origin {
  return origins.getStore() ?? UNKNOWN_ORIGIN;
}

/**
 * Returns the values of ORIGIN_COLUMNS for an audit line of `actor`. The address is null unless the actor is a member of
 * the team. Id and name are null unless the actor is the member of the origin; the log then shows the name of the user
 * who has the address (`readLog`).
 */
export function originOf(
  actor: string,
): [via: Way, ip: string | null, actor_id: string | null, actor_name: string | null] {
  const { ip, actor: member } = currentOrigin();
  const [id, name] = member?.email === actor ? [member.id, member.name] : [null, null];
  return [wayOf(actor), actor.includes('@') || actor.startsWith('key:') ? ip : null, id, name];
}
