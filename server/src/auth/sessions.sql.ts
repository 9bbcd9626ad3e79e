// SQL of sessions: one row per signed-in browser.
import type { Db } from '../db/database.ts';
import type { Amr } from './access-tokens.ts';

export type SessionRow = {
  id: string;
  user_id: string;
  refresh_counter: number;
  /**
   * `created_at` is the start of the session. `refreshed_at` is the time when a refresh token was last used; in a new
   * session, it is the start. `previously_refreshed_at` is the time when the second-to-last refresh token was used;
   * null if this time is not known.
   */
  created_at: string;
  refreshed_at: string;
  previously_refreshed_at: string | null;
  amr: Amr;
};

/** Starts a session and returns its id. */
export async function createSession(db: Db, user_id: string, amr: Amr, now: Date): Promise<string> {
  const { rows } = await db.query<{ id: string }>(
    `insert into auth_session (user_id, refreshed_at, amr, created_at) values ($1, $2, $3::jsonb, $2)
     returning id`,
    [user_id, now.toISOString(), JSON.stringify(amr)],
  );
  const [row] = rows;
  if (row === undefined) throw new Error('The session was not created');
  return row.id;
}

/** Returns a session, locked until the transaction ends, so that refreshes of one session run one after the other. */
export async function claimSession(db: Db, id: string): Promise<SessionRow | null> {
  const { rows } = await db.query<Omit<SessionRow, 'refresh_counter'> & { refresh_counter: string }>(
    `select id, user_id, refresh_counter, created_at, refreshed_at, previously_refreshed_at, amr
     from auth_session where id = $1 for update`,
    [id],
  );
  const [row] = rows;
  return row === undefined ? null : { ...row, refresh_counter: Number(row.refresh_counter) };
}

/** Sets the counter of the current refresh token. Also stores `now` as the time when the previous token was used. */
export async function setRefreshCounter(db: Db, id: string, counter: number, now: Date): Promise<void> {
  await db.query(
    `update auth_session set refresh_counter = $2, previously_refreshed_at = refreshed_at, refreshed_at = $3
     where id = $1`,
    [id, counter, now.toISOString()],
  );
}

/** True if the session exists and belongs to the user. */
export async function hasSession(db: Db, id: string, user_id: string): Promise<boolean> {
  const { rows } = await db.query('select 1 from auth_session where id = $1 and user_id = $2', [id, user_id]);
  return rows.length > 0;
}

/** Ends one session. Returns the number of ended sessions. */
export async function deleteSession(db: Db, id: string): Promise<number> {
  return (await db.query('delete from auth_session where id = $1', [id])).rowCount;
}

/** Deletes sessions that were last refreshed before `refreshedBefore`, or started before `startedBefore`. */
export async function deleteEndedSessions(
  db: Db,
  { refreshedBefore, startedBefore }: { refreshedBefore: Date; startedBefore: Date },
): Promise<void> {
  await db.query('delete from auth_session where refreshed_at < $1 or created_at < $2', [
    refreshedBefore.toISOString(),
    startedBefore.toISOString(),
  ]);
}

/** Ends all sessions of a user. Returns the number of ended sessions. */
export async function deleteSessionsOfUser(db: Db, user_id: string): Promise<number> {
  return (await db.query('delete from auth_session where user_id = $1', [user_id])).rowCount;
}

/** Ends all sessions of a user except `kept`. Returns the number of ended sessions. */
export async function deleteOtherSessions(db: Db, user_id: string, kept: string): Promise<number> {
  return (await db.query('delete from auth_session where user_id = $1 and id <> $2', [user_id, kept]))
    .rowCount;
}

/** Ends all sessions of the user with the address `email`. Returns the number of ended sessions. */
export async function deleteSessionsOfEmail(db: Db, email: string): Promise<number> {
  const { rowCount } = await db.query(
    'delete from auth_session s using auth_user u where u.id = s.user_id and u.email = $1',
    [email],
  );
  return rowCount;
}
