// What every route of the service shares: how it is registered, reads a request and counts it.

import { email as emailSchema } from '@portal/contract';
import type { FastifyReply, FastifyRequest } from 'fastify';
import * as z from 'zod';
import { authError, isAuthError } from '../auth-error.ts';
import type { AuthContext } from '../context.ts';
import type { LimitedRequest } from '../limits.ts';

/** One call below /auth/v1. A handler's answer is sent as JSON unless it sent something itself. */
export type AuthRoute = {
  method: 'GET' | 'POST' | 'PUT';
  path: string;
  handle: (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>;
};

export type Query = Record<string, string | undefined>;

/** The query string; of a parameter given twice, the first counts. */
export function readQuery(request: FastifyRequest): Query {
  const query = request.query as Record<string, string | string[]>;
  return Object.fromEntries(
    Object.entries(query).map(([name, value]) => [name, Array.isArray(value) ? value[0] : value]),
  );
}

/** The JSON body, by the types of its fields. @throws bad_json when it is missing or of other types. */
export function readBody<T>(schema: z.ZodType<T>, request: FastifyRequest): T {
  const parsed = schema.safeParse(request.body);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  const where = issue?.path.join('.') || 'body';
  throw authError(400, 'bad_json', `Could not parse request body as JSON: ${where} is not of its type`);
}

/** A field that may be missing or null, as clients send it. */
export const optionalText = z.string().nullish();

/** An address, trimmed and in lower case. @throws validation_failed when it is none. */
export function readEmail(value: string): string {
  const parsed = emailSchema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw authError(400, 'validation_failed', 'Unable to validate email address: invalid format');
}

/** Counts the request against its IP address. @throws over_request_rate_limit. */
export async function countRequest(
  { limits }: AuthContext,
  kind: LimitedRequest,
  request: FastifyRequest,
): Promise<void> {
  if (await limits.countRequest(kind, request.ip)) return;
  throw authError(429, 'over_request_rate_limit', 'Request rate limit reached');
}

/**
 * Counts the request against its IP address, and takes it out of the count when `isFree` of how `work` ended: the
 * code of its refusal, or null. @throws over_request_rate_limit before any work.
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

/** Does `work`, and counts it against the IP address only when it is refused. @throws over_request_rate_limit. */
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
