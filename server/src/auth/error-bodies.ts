// Converts errors to error bodies of Supabase Auth. There are two formats; the API version in the client's request
// selects one.
import { RETRY_AFTER_SECONDS } from '@portal/contract';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { isRefusedForNow, logRefusedForNow, SERVICE_BUSY } from '../db/refused-for-now.ts';
import { type AuthError, authError, isAuthError } from './auth-error.ts';
import type { Log } from './context.ts';

const VERSION_HEADER = 'X-Supabase-Api-Version';
const NEWEST_VERSION = '2024-01-01';
const DATE = /^\d{4}-\d{2}-\d{2}$/;

/** Sends `error` as the response. */
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
 * Converts any thrown value to an error in the format of Supabase Auth. An invalid request is never a 5xx, because
 * clients retry a 5xx.
 */
export function toAuthError(error: unknown, log: Log, bodyLimitBytes: number): AuthError {
  if (isAuthError(error)) return error;
  const status = readStatus(error);
  if (status === 413) {
    const limit = `The request must not be larger than ${bodyLimitBytes / 1000} kB`;
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
