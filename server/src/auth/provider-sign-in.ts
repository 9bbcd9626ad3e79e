// Sign-in at a provider (OpenID Connect): starts the sign-in, and later handles the provider's response. The browser
// that starts a sign-in gets a cookie; the secret values of the sign-in are derived from this cookie.
import { createHmac } from 'node:crypto';
import { email as emailSchema } from '@portal/contract';
import type { Db } from '../db/database.ts';
import { createSignInLine } from '../features/log/audit.sql.ts';
import { findStoredEmail } from '../features/people/addresses.sql.ts';
import {
  describeProviderError,
  type OpenidProvider,
  type ProviderClaims,
  readProviderRefusal,
} from '../gateways/openid-provider.ts';
import { type AuthContext, moveTime } from './context.ts';
import { deleteMailOf, deleteOneTimeToken } from './mailed-link.sql.ts';
import { type Challenge, offerExchange } from './pkce.ts';
import { createRandomText, hashToken, type Secrets } from './secrets.ts';
import { createFlowState, type ProviderFlow, takeProviderFlow } from './sessions.sql.ts';
import { type OpenSession, startSession } from './sessions.ts';
import {
  findUser,
  findUserOfIdentity,
  type IdentityLink,
  linkPerson,
  lockIdentityLink,
  saveIdentity,
  saveUser,
  updateMetadata,
} from './users.sql.ts';
import { authError } from './wire.ts';

/** Time limit for signing in at the provider. */
export const PROVIDER_FLOW_SECONDS = 600;

/** True if `text` has the format of `createRandomText`. */
export function isRandomText(text: string | undefined): text is string {
  return text !== undefined && /^[\w-]{43}$/.test(text);
}

// A sign-in is stored under a hash of state and cookie. Only the browser that started the sign-in has both values.
function hashFlow(state: string, browser: string): string {
  return hashToken(`${state}.${browser}`);
}

// The database does not store the PKCE verifier and the nonce of a sign-in: the callback derives both again.
function deriveChecks({ flowKey }: Secrets, state: string, browser: string) {
  const derive = (purpose: string) =>
    createHmac('sha256', flowKey).update(`${purpose}\n${state}\n${browser}`).digest('base64url');
  return { state, verifier: derive('verifier'), nonce: derive('nonce') };
}

/**
 * The result of a sign-in at a provider: a session, a PKCE code that the client exchanges for a session, or the
 * provider's refusal.
 */
export type ProviderOutcome =
  | { session: OpenSession }
  | { auth_code: string }
  | { refusal: { error: string; description: string } };

const GOOGLE = 'google';
const MAX_TEXT = 200;
// The format of `sub`, the id of a user at the provider (OpenID Connect Core, section 2).
const SUBJECT = /^\P{Cc}{1,255}$/u;

/**
 * Stores a new sign-in and returns the provider's address for it. `browser` is the value of the browser's cookie.
 * @throws unexpected_failure if the provider is unavailable.
 */
export async function startProviderSignIn(
  context: AuthContext,
  request: { browser: string; redirect_to: string; challenge: Challenge; hints: Record<string, string> },
): Promise<string> {
  const { db, secrets, now, log } = context;
  const { browser, redirect_to, challenge, hints } = request;
  const state = createRandomText();
  const checks = deriveChecks(secrets, state, browser);
  const address = await requireProvider(context)
    .writeAuthorizationUrl(checks, hints)
    .catch((error: unknown) => {
      log.warn({ fault: describeProviderError(error) }, 'The sign-in provider could not be asked');
      throw authError(503, 'unexpected_failure', 'The sign-in provider does not answer. Please try again.');
    });
  await createFlowState(db, {
    provider: GOOGLE,
    redirect_to,
    ...challenge,
    state_hash: hashFlow(state, browser),
    auth_code_hash: null,
    user_id: null,
    expires_at: moveTime(now(), PROVIDER_FLOW_SECONDS),
  });
  return address.href;
}

/**
 * Deletes and returns the sign-in that this browser started with this `state`.
 * @throws bad_oauth_state if there is no such sign-in.
 */
export async function takeFlow(
  { db, now }: AuthContext,
  { state, browser }: { state: string; browser: string },
): Promise<ProviderFlow> {
  const flow = await takeProviderFlow(db, hashFlow(state, browser), now());
  if (flow === null) throw authError(400, 'bad_oauth_state', 'OAuth state not found or expired');
  return flow;
}

/**
 * Signs in the user whom the provider's response names. Finds the user by the provider's user id; if this id is new, by
 * the verified e-mail address.
 * @throws unexpected_failure if the response cannot be fetched or is invalid.
 * @throws provider_email_needs_verification if the provider has not verified the address.
 * @throws identity_already_exists if the provider's account belongs to a person who has another address now.
 */
export async function finishProviderSignIn(
  context: AuthContext,
  { flow, query, state, browser }: { flow: ProviderFlow; query: string; state: string; browser: string },
): Promise<ProviderOutcome> {
  const { db, now, log } = context;
  let claims: ProviderClaims;
  try {
    const checks = deriveChecks(context.secrets, state, browser);
    claims = await requireProvider(context).readAnswer(query, checks);
  } catch (error) {
    const refusal = readProviderRefusal(error);
    if (refusal !== null) return { refusal: cleanRefusal(refusal) };
    log.warn({ fault: describeProviderError(error) }, 'The answer of the sign-in provider is not sound');
    throw authError(500, 'unexpected_failure', 'The sign-in provider could not be asked. Please try again.');
  }
  const proved = emailSchema.safeParse(claims.email);
  if (!proved.success || !claims.emailVerified) {
    throw authError(
      403,
      'provider_email_needs_verification',
      'The email address of this account is not verified at the provider.',
    );
  }
  return db.transaction(async (tx) => {
    const email = await findStoredEmail(tx, proved.data);
    const user_id = await proveByProvider(tx, { ...claims, email }, now());
    if (flow.code_challenge === null) {
      return { session: await startSession(tx, { user_id, method: 'oauth' }, now()) };
    }
    return { auth_code: await offerExchange(tx, { ...flow, user_id }, now()) };
  });
}

function requireProvider({ provider }: AuthContext): OpenidProvider {
  if (provider !== null) return provider;
  throw authError(400, 'validation_failed', 'Unsupported provider: provider is not enabled');
}

async function proveByProvider(tx: Db, claims: ProviderClaims & { email: string }, now: Date) {
  const { iss, sub, email } = claims;
  if (!SUBJECT.test(sub)) throw authError(500, 'unexpected_failure', 'The sign-in provider names nobody.');
  const identity = { provider: GOOGLE, issuer: iss, provider_id: sub };
  const name = cleanText(typeof claims.name === 'string' ? claims.name : '');
  const identity_data = {
    iss,
    sub,
    provider_id: sub,
    email,
    email_verified: true,
    phone_verified: false,
    ...(name && { name, full_name: name }),
  };
  const link = await lockIdentityLink(tx, identity, email);
  if (!isOfHolder(link, email))
    throw authError(
      403,
      'identity_already_exists',
      'This Google account belongs to another address here. Please sign in by email.',
    );
  // Deletes links and codes that were mailed earlier to this address, because an attacker may have requested them.
  await deleteMailOf(tx, email);
  await deleteOneTimeToken(tx, email);
  const known = await findUserOfIdentity(tx, identity, now);
  // The provider has verified the address, and each user in the database has proved the own address. So a user with
  // this address is the person who signs in now.
  const owner = known ?? (await saveUser(tx, email, now));
  const user_id = await saveIdentity(tx, { ...identity, identity_data, user_id: owner }, now);
  // Does not insert a link that exists already: this insert could deadlock with a concurrent edit of the person.
  if (link.person === null && link.holder !== null) await linkPerson(tx, identity, link.holder);
  if (known === null) {
    const detail = { auth_id: user_id, provider: GOOGLE };
    await createSignInLine(tx, { auth_id: user_id, action: 'identity.link', detail });
    // A name that the user already has is kept.
    if (name) {
      const own = (await findUser(tx, user_id))?.user_metadata;
      if (own?.name === undefined && own?.full_name === undefined) {
        await updateMetadata(tx, user_id, { name, full_name: name }, now);
      }
    }
  }
  return user_id;
}

// True if the identity may sign in with `email`. An identity that was linked to a person signs in as this person only:
// if another person has the address now, the sign-in is refused. An identity without a person may sign in if it is new,
// if its stored address equals `email`, or if no person has its stored address.
function isOfHolder({ account, person, holder }: IdentityLink, email: string): boolean {
  if (person !== null) return person === holder;
  return holder === null || account === null || account === email;
}

function cleanRefusal({ error, description }: { error: string; description: string }) {
  return {
    error: /^[a-z_]{1,64}$/.test(error) ? error : 'server_error',
    description: cleanText(description) || 'The sign-in provider refused, or the sign-in was cancelled.',
  };
}

function cleanText(text: string): string {
  return text
    .replaceAll(/\p{Cc}+/gu, ' ')
    .trim()
    .slice(0, MAX_TEXT)
    .toWellFormed();
}
