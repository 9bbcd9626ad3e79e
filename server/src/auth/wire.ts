// Helpers for all routes of the service. They read requests and count requests for the rate limits.

import { knownEmail } from '@portal/contract';
import type { FastifyReply, FastifyRequest } from 'fastify';
import * as z from 'zod';
import { findStoredEmail } from '../features/people/stored-emails.sql.ts';
import { authError, isAuthError } from './auth-error.ts';
import type { AuthContext } from './context.ts';
import type { LimitedRequest } from './limits.ts';

/** One route below /auth/v1. The value that `handle` returns is sent as JSON, unless `handle` has sent a response. */
export type AuthRoute = {
  method: 'GET' | 'POST' | 'PUT';
  path: string;
  handle: (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>;
};

export type Query = Record<string, string | undefined>;

/** Returns the query parameters. If a parameter occurs several times, only its first value is returned. */
export function readQuery(request: FastifyRequest): Query {
  const query = request.query as Record<string, string | string[]>;
  return Object.fromEntries(
    Object.entries(query).map(([name, value]) => [name, Array.isArray(value) ? value[0] : value]),
  );
}

/**
 * Returns the JSON body, checked by `schema`. @throws bad_json if the body is missing or a field has the wrong type.
 */
export function readBody<T>(schema: z.ZodType<T>, request: FastifyRequest): T {
  const parsed = schema.safeParse(request.body);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  const where = issue?.path.join('.') || 'body';
  throw authError(400, 'bad_json', `Could not parse request body as JSON: ${where} is not of its type`);
}

/** A field that clients may omit or send as null. */
export const optionalText = z.string().nullish();

/**
 * Returns an e-mail address in the form in which a person has it (N-303); else in its canonical form. Accepts
 * addresses that no new person may have, whether somebody has them or not, so that the response does not tell.
 * @throws validation_failed if `value` is not an e-mail address.
 */
export async function readEmail({ db }: AuthContext, value: string): Promise<string> {
  const parsed = knownEmail.safeParse(value);
  if (parsed.success) return findStoredEmail(db, parsed.data);
  throw authError(400, 'validation_failed', 'Unable to validate email address: invalid format');
}

/**
 * Counts the request against the rate limit of its IP address. @throws over_request_rate_limit if the IP address is
 * over the limit.
 */
export async function countRequest(
  { limits }: AuthContext,
  kind: LimitedRequest,
  request: FastifyRequest,
): Promise<void> {
  if (await limits.countRequest(kind, request.ip)) return;
  throw authError(429, 'over_request_rate_limit', 'Request rate limit reached');
}

/**
 * Counts the request for its IP address, runs `work`, and returns the result of `work`. Then calls `isFree` with the
 * error code of `work`, or with null if `work` succeeded. If `isFree` returns true, removes the request from the count.
 * @throws over_request_rate_limit if the IP address is over the limit; `work` does not run then.
 */
export async function countUnless<T>(
  context: AuthContext,
  kind: LimitedRequest,
  request: FastifyRequest,
  isFree: (refusal: string | null) => boolean,
  work: () => Promise<T>,
): Promise<T> {
  await countRequest(context, kind, request);
  let refusal: string | null = null;
  try {
    return await work();
  } catch (error) {
    if (isAuthError(error)) refusal = error.authCode;
    throw error;
  } finally {
    if (isFree(refusal)) await context.limits.uncountRequest(kind, request.ip);
  }
}

/**
 * Runs `work`. Counts the request for its IP address only if `work` throws an AuthError. @throws
 * over_request_rate_limit if the IP address is over the limit.
 */
export async function countRefusal<T>(
  context: AuthContext,
  kind: LimitedRequest,
  request: FastifyRequest,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (isAuthError(error)) await countRequest(context, kind, request);
    throw error;
  }
}
