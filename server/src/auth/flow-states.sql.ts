// SQL of sign-ins that need a second step: the response of a provider, or the exchange of a PKCE code (table
// auth_flow_state).
import { sqlColumns } from '../db/columns.ts';
import type { Db } from '../db/database.ts';
import type { Challenge } from './pkce.ts';

export type ExchangeRow = Challenge & { id: string; provider: string; user_id: string; expires_at: string };

/**
 * A sign-in that waits for the provider's response. The primary key of the sign-in's row is `state_hash`, a hash of
 * OAuth's `state` and the browser's cookie.
 */
export type ProviderFlow = Challenge & { provider: string; redirect_to: string };

const FLOW = sqlColumns<ProviderFlow>({
  provider: true,
  redirect_to: true,
  code_challenge: true,
  code_challenge_method: true,
});

type NewExchange = ProviderFlow & { auth_code_hash: string; user_id: string; expires_at: Date };
const NEW_EXCHANGE = sqlColumns<NewExchange>({
  ...FLOW.fields,
  auth_code_hash: true,
  user_id: true,
  expires_at: true,
});

type NewFlow = ProviderFlow & { state_hash: string; expires_at: Date };
const NEW_FLOW = sqlColumns<NewFlow>({ ...FLOW.fields, state_hash: true, expires_at: true });

/**
 * Stores a sign-in whose user has proved the e-mail address. The row waits until the client exchanges the PKCE code of
 * this sign-in.
 */
export async function createExchange(db: Db, exchange: NewExchange): Promise<void> {
  await db.query(
    `insert into auth_flow_state (${NEW_EXCHANGE.list}) values (${NEW_EXCHANGE.params})`,
    NEW_EXCHANGE.valuesOf(exchange),
  );
}

/** Returns the row of a PKCE code, locked until the transaction ends; null if there is none. */
export async function claimExchange(db: Db, auth_code_hash: string): Promise<ExchangeRow | null> {
  const { rows } = await db.query<ExchangeRow>(
    `select id, provider, user_id, code_challenge, code_challenge_method, expires_at from auth_flow_state
     where auth_code_hash = $1 and user_id is not null for update`,
    [auth_code_hash],
  );
  return rows[0] ?? null;
}

/** Stores a sign-in that waits for the provider's response. */
export async function createProviderFlow(db: Db, flow: NewFlow): Promise<void> {
  await db.query(
    `insert into auth_flow_state (${NEW_FLOW.list}) values (${NEW_FLOW.params})`,
    NEW_FLOW.valuesOf(flow),
  );
}

/**
 * Deletes the sign-in that the provider has responded to, and returns the deleted sign-in. Returns null if the sign-in
 * is unknown, expired or already deleted. Of two concurrent calls, only one gets the sign-in.
 */
export async function takeProviderFlow(db: Db, state_hash: string, now: Date): Promise<ProviderFlow | null> {
  const { rows } = await db.query<ProviderFlow>(
    `delete from auth_flow_state where state_hash = $1 and expires_at > $2 returning ${FLOW.list}`,
    [state_hash, now.toISOString()],
  );
  return rows[0] ?? null;
}

/** Deletes a sign-in whose PKCE code was used. */
export async function deleteFlowState(db: Db, id: string): Promise<void> {
  await db.query('delete from auth_flow_state where id = $1', [id]);
}

/**
 * Deletes all sign-ins of a user that wait for the exchange of a PKCE code. The user is the one with the address
 * `email`.
 */
export async function deleteFlowStatesOfEmail(db: Db, email: string): Promise<void> {
  await db.query('delete from auth_flow_state f using auth_user u where u.id = f.user_id and u.email = $1', [
    email,
  ]);
}
