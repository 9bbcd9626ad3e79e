// Counts acts that are limited in a period, such as invitations in an hour, in the table auth_rate (0015).
import type { Db } from '../../db/database.ts';

export type RateLimit = {
  /** The name of the limit and its subject, for example `invite:7`. */
  key: string;
  /** Number of acts that are allowed in the period. */
  most: number;
  seconds: number;
};

/**
 * Counts an act. The period begins with its first act. Returns `allowed: false` if the act is over the limit, and the
 * time `until` at which the period ends. Call this function in the transaction of the act: if the transaction fails,
 * the act is not counted.
 */
export async function countAct(
  db: Db,
  { key, most, seconds }: RateLimit,
  now: Date,
): Promise<{ allowed: boolean; until: Date }> {
  const { rows } = await db.query<{ points: number; expire: string }>(
    `insert into auth_rate as r (key, points, expire) values ($1, 1, $2::bigint + $3::bigint)
     on conflict (key) do update set
       points = case when r.expire <= $2 then 1 else r.points + 1 end,
       -- A clock that was ahead may have written a later end than a period that begins now has.
       expire = case when r.expire <= $2 then excluded.expire else least(r.expire, excluded.expire) end
     returning points, expire`,
    [key, now.getTime(), seconds * 1000],
  );
  const { points = 0, expire = '0' } = rows[0] ?? {};
  return { allowed: points <= most, until: new Date(Number(expire)) };
}
