// SQL of sessions (one row per signed-in browser) and of unfinished sign-ins (table auth_flow_state). An unfinished
// sign-in waits for the response of a provider, or for the exchange of a PKCE code.
import type { Db } from '../db/database.ts';
import type { Challenge } from './pkce.ts';
import type { Amr } from './tokens.ts';

export type SessionRow = {
  id: string;
  user_id: string;
  refresh_counter: number;
  created_at: string;
  /** The time of the last refresh; in a new session, the start of the session. */
  refreshed_at: string;
  /** The time of the second-to-last refresh; null if there was none. */
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
  return (rows[0] as { id: string }).id;
}

/** Locks and returns a session, so that refreshes of one session run one after the other; null if there is none. */
export async function claimSession(db: Db, id: string): Promise<SessionRow | null> {
  const { rows } = await db.query<Omit<SessionRow, 'refresh_counter'> & { refresh_counter: string }>(
    `select id, user_id, refresh_counter, created_at, refreshed_at, previously_refreshed_at, amr
     from auth_session where id = $1 for update`,
    [id],
  );
  const [row] = rows;
  return row === undefined ? null : { ...row, refresh_counter: Number(row.refresh_counter) };
}

/** Stores a refresh: the counter of the new refresh token, the time `now`, and the time of the refresh before. */
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

export async function deleteSession(db: Db, id: string): Promise<void> {
  await db.query('delete from auth_session where id = $1', [id]);
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

export async function deleteSessionsOfUser(db: Db, user_id: string): Promise<void> {
  await db.query('delete from auth_session where user_id = $1', [user_id]);
}

/** Ends all sessions of a user except the session `kept`. */
export async function deleteOtherSessions(db: Db, user_id: string, kept: string): Promise<void> {
  await db.query('delete from auth_session where user_id = $1 and id <> $2', [user_id, kept]);
}

/** Ends all sessions of the user with the address `email`. Returns the number of ended sessions. */
export async function deleteSessionsOfEmail(db: Db, email: string): Promise<number> {
  const { rowCount } = await db.query(
    'delete from auth_session s using auth_user u where u.id = s.user_id and u.email = $1',
    [email],
  );
  return rowCount;
}

type ExchangeRow = Challenge & { id: string; provider: string; user_id: string; expires_at: string };

/** A sign-in that has not finished. `redirect_to` is the page that opens afterwards. */
export type ProviderFlow = Challenge & { provider: string; redirect_to: string };

type NewFlow = ProviderFlow & { expires_at: Date } & (
    | { state_hash: string; auth_code_hash: null; user_id: null }
    | { state_hash: null; auth_code_hash: string; user_id: string }
  );

/**
 * Stores an unfinished sign-in. With a `state_hash`, the sign-in waits for the provider's response; `state_hash` is a
 * hash of OAuth's `state` and the browser's cookie. With an `auth_code_hash`, the user has proved the e-mail address,
 * and the client must still exchange the PKCE code for a session.
 */
export async function createFlowState(db: Db, flow: NewFlow): Promise<void> {
  await db.query(
    `insert into auth_flow_state (provider, redirect_to, code_challenge, code_challenge_method, state_hash,
       auth_code_hash, user_id, expires_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8)`,
    [
      flow.provider,
      flow.redirect_to,
      flow.code_challenge,
      flow.code_challenge_method,
      flow.state_hash,
      flow.auth_code_hash,
      flow.user_id,
      flow.expires_at,
    ],
  );
}

/** Locks and returns the sign-in with this PKCE code; null if there is none. */
export async function claimExchange(db: Db, auth_code_hash: string): Promise<ExchangeRow | null> {
  const { rows } = await db.query<ExchangeRow>(
    `select id, provider, user_id, code_challenge, code_challenge_method, expires_at from auth_flow_state
     where auth_code_hash = $1 and user_id is not null for update`,
    [auth_code_hash],
  );
  return rows[0] ?? null;
}

/**
 * Deletes and returns the sign-in to which the provider has responded; null if the sign-in is unknown, expired or
 * already deleted. Of two concurrent calls, only one gets the sign-in.
 */
export async function takeProviderFlow(db: Db, state_hash: string, now: Date): Promise<ProviderFlow | null> {
  const { rows } = await db.query<ProviderFlow>(
    `delete from auth_flow_state where state_hash = $1 and expires_at > $2
     returning provider, redirect_to, code_challenge, code_challenge_method`,
    [state_hash, now.toISOString()],
  );
  return rows[0] ?? null;
}

/** Deletes a sign-in whose PKCE code was used. */
export async function deleteFlowState(db: Db, id: string): Promise<void> {
  await db.query('delete from auth_flow_state where id = $1', [id]);
}

/** Deletes the unfinished sign-ins of the user with the address `email`, which makes their PKCE codes invalid. */
export async function deleteFlowStatesOfEmail(db: Db, email: string): Promise<void> {
  await db.query('delete from auth_flow_state f using auth_user u where u.id = f.user_id and u.email = $1', [
    email,
  ]);
}
