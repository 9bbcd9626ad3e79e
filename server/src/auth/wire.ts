// The HTTP protocol of Supabase Auth: error responses, and functions with which all routes read requests and count them
// for the rate limits.
import { knownEmail, RETRY_AFTER_SECONDS } from '@portal/contract';
import type { FastifyReply, FastifyRequest } from 'fastify';
import * as z from 'zod';
import { isRefusedForNow, logRefusedForNow, SERVICE_BUSY } from '../db/database.ts';
import { findStoredEmail } from '../features/people/addresses.sql.ts';
import type { AuthContext, Log } from './context.ts';
import type { LimitedRequest } from './limits.ts';

/**
 * An error that the service sends to the client. `authStatus` is the HTTP status, and `authCode` an error code of
 * Supabase Auth. People see the message, so it contains no internals.
 */
export type AuthError = Error & { authStatus: number; authCode: string };

/** Creates an error for the caller to throw. `code` is an error code of Supabase Auth, for example otp_expired. */
export function authError(status: number, code: string, message: string): AuthError {
  return Object.assign(new Error(message), { authStatus: status, authCode: code });
}

/** True if `error` was created by `authError`. */
export function isAuthError(error: unknown): error is AuthError {
  return error instanceof Error && 'authStatus' in error && 'authCode' in error;
}

/** The largest body of a request. */
export const BODY_LIMIT_BYTES = 100_000;

const VERSION_HEADER = 'X-Supabase-Api-Version';
const NEWEST_VERSION = '2024-01-01';
const DATE = /^\d{4}-\d{2}-\d{2}$/;

/** Sends `error` in one of the two JSON formats of Supabase Auth. The API version in the request selects the format. */
export function sendError(request: FastifyRequest, reply: FastifyReply, error: AuthError): FastifyReply {
  reply.code(error.authStatus).header('x-sb-error-code', error.authCode);
  reply.type('application/json; charset=utf-8').header('Cache-Control', 'no-store');
  if (error.authStatus === 503) reply.header('Retry-After', RETRY_AFTER_SECONDS);
  if (!wantsNewBody(request)) {
    return reply.send({ code: error.authStatus, error_code: error.authCode, msg: error.message });
  }
  // auth-js reads the error code only if the response has this header.
  reply.header(VERSION_HEADER, NEWEST_VERSION);
  return reply.send({ code: error.authCode, message: error.message });
}

/**
 * Converts any thrown value to an error of the service. Clients retry after a 5xx, so an invalid request gets a 4xx.
 */
export function toAuthError(error: unknown, log: Log): AuthError {
  if (isAuthError(error)) return error;
  const status = readStatus(error);
  if (status === 413) {
    const limit = `The request must not be larger than ${BODY_LIMIT_BYTES / 1000} kB`;
    return authError(413, 'request_entity_too_large', limit);
  }
  if (status === 415) {
    return authError(415, 'validation_failed', 'Content-Type must be application/json');
  }
  if (status >= 400 && status < 500) {
    return authError(status, 'bad_json', 'Could not parse request body as JSON');
  }
  if (isRefusedForNow(error)) {
    logRefusedForNow(log, error as Error);
    return authError(503, 'unexpected_failure', SERVICE_BUSY);
  }
  log.error({ err: error }, 'The sign-in service failed');
  return authError(500, 'unexpected_failure', 'Unexpected failure, please check server logs');
}

function readStatus(error: unknown): number {
  const status = error instanceof Error && 'statusCode' in error ? error.statusCode : 500;
  return typeof status === 'number' ? status : 500;
}

function wantsNewBody(request: FastifyRequest): boolean {
  const version = request.headers[VERSION_HEADER.toLowerCase()];
  if (typeof version !== 'string' || !DATE.test(version)) return false;
  return !Number.isNaN(Date.parse(version)) && version >= NEWEST_VERSION;
}

/** One route below /auth/v1. The value that `handle` returns is sent as JSON, unless `handle` has sent a response. */
export type AuthRoute = {
  method: 'GET' | 'POST' | 'PUT';
  path: string;
  handle: (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>;
};

export type Query = Record<string, string | undefined>;

/** Returns the query parameters. If a parameter occurs several times, returns its first value. */
export function readQuery(request: FastifyRequest): Query {
  const query = request.query as Record<string, string | string[]>;
  return Object.fromEntries(
    Object.entries(query).map(([name, value]) => [name, Array.isArray(value) ? value[0] : value]),
  );
}

/**
 * Returns the JSON body, checked by `schema`.
 * @throws bad_json if the body is missing or a field has the wrong type.
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
 * Returns the stored form of an e-mail address if a person has it (N-303), else its canonical form. Also
 * accepts addresses that are not allowed for new people: some people have one, so refusing all others would reveal who
 * is registered.
 * @throws validation_failed if `value` is not an e-mail address.
 */
export async function readEmail({ db }: AuthContext, value: string): Promise<string> {
  const parsed = knownEmail.safeParse(value);
  if (parsed.success) return findStoredEmail(db, parsed.data);
  throw authError(400, 'validation_failed', 'Unable to validate email address: invalid format');
}

/**
 * Counts the request against the rate limit of its IP address.
 * @throws over_request_rate_limit if the IP address is over the limit.
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
 * Counts the request for its IP address, runs `work` and returns its result. Afterwards subtracts the request from the
 * count if `isFree` returns true. `isFree` gets the error code of `work`; null after a success.
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
 * Runs `work` and returns its result. Counts the request for its IP address only if `work` throws an AuthError.
 * @throws over_request_rate_limit if `work` throws an AuthError and the IP address is over the limit.
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
