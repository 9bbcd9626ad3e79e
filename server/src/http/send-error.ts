// Sends every error in the same JSON format. Refusals (see `AppError`) have a message for the user. The text of an
// internal error is logged, but not sent.
import { type Endpoint, type ErrorBody, type ErrorCode, RETRY_AFTER_SECONDS } from '@portal/contract';
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { hasZodFastifySchemaValidationErrors } from 'fastify-type-provider-zod';
import { AppError } from '../app-error.ts';
import {
  isConflict,
  isConnectionLost,
  isOutcomeUnknown,
  isRefusedForNow,
  isTimedOut,
  logRefusedForNow,
  SERVICE_BUSY,
} from '../db/database.ts';

const refusals = new WeakMap<FastifyRequest, ErrorCode>();

/** Returns the error code of the response to `request`, or null if the response was not an error. */
export function findRefusal(request: FastifyRequest): ErrorCode | null {
  return refusals.get(request) ?? null;
}

const FASTIFY_CODES: Record<string, [ErrorCode, string]> = {
  FST_ERR_CTP_EMPTY_JSON_BODY: ['invalid_request', 'The body is empty'],
  FST_ERR_CTP_INVALID_JSON_BODY: ['invalid_request', 'The body is not valid JSON'],
};

// Database errors of requests that change data. The message tells the user whether the change was made.
const FAILED_CHANGES: [(error: unknown) => boolean, ErrorCode, string][] = [
  [
    isOutcomeUnknown,
    'outcome_unknown',
    'The connection to the database was lost. It is not known whether the change was made. Please look before you try again.',
  ],
  [
    isConflict,
    'concurrent_change',
    'Somebody else changed the same at that moment. Nothing was changed. Please try again.',
  ],
  [isTimedOut, 'timed_out', 'The database took too long. Nothing was changed. Please try again.'],
  [
    isConnectionLost,
    'connection_lost',
    'The connection to the database was lost. Nothing was changed. Please try again.',
  ],
];

/** Error handler for Fastify. Logs errors with a status of 500 or above, and sends the error body. */
export async function sendError(
  error: FastifyError,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  const refusal = toRefusal(error, request);
  if (refusal.status === 503) {
    logRefusedForNow(request.log, error);
    reply.header('retry-after', RETRY_AFTER_SECONDS);
  } else if (refusal.retry_after !== undefined) reply.header('retry-after', refusal.retry_after);
  else if (refusal.status >= 500) request.log.error({ err: error }, 'request failed');
  refusals.set(request, refusal.code);
  const { refusals: texts } = request.routeOptions.config as Pick<Endpoint, 'refusals'>;
  const { title, message } = texts?.[refusal.code] ?? refusal;
  const { code, user, day, count, retry_after, user_id, similar, results } = refusal;
  // JSON.stringify leaves out undefined fields.
  const body: { [Field in keyof ErrorBody]: ErrorBody[Field] | undefined } = {
    ...(title !== undefined && { success: false, title }),
    ...{ code, message, user, day, count, retry_after, user_id, similar, results },
    request_id: refusal.status >= 500 ? request.id : undefined,
  };
  await reply.status(refusal.status).type('application/json; charset=utf-8').send(JSON.stringify(body));
}

function toRefusal(error: FastifyError, { method, routeOptions }: FastifyRequest): AppError {
  if (error instanceof AppError) return error;
  if (hasZodFastifySchemaValidationErrors(error)) {
    const [issue] = error.validation;
    return new AppError('invalid_request', describeIssue(issue?.instancePath, issue?.message), {
      cause: error,
    });
  }
  if (error.code === 'FST_ERR_CTP_BODY_TOO_LARGE') {
    const limit = Math.round((routeOptions.bodyLimit ?? 0) / 1000);
    return new AppError('request_too_large', `The request must not be larger than ${limit} kB`, {
      cause: error,
    });
  }
  if (error.code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE') {
    const { bodyTypes } = routeOptions.config as Pick<Endpoint, 'bodyTypes'>;
    const [words, types] = bodyTypes ? ['a picture', bodyTypes.join(', ')] : ['JSON', 'application/json'];
    const message = `The body must be ${words} (Content-Type: ${types})`;
    return new AppError('unsupported_media_type', message, { cause: error });
  }
  const known = FASTIFY_CODES[error.code];
  if (known) return new AppError(...known, { cause: error });
  const failed = method === 'GET' ? undefined : FAILED_CHANGES.find(([matches]) => matches(error));
  if (failed) return new AppError(failed[1], failed[2], { cause: error });
  // Functions in gateways/ throw an error with `statusCode` 503 if the external service cannot be reached.
  if (isRefusedForNow(error) || error.statusCode === 503) {
    return new AppError('unavailable', SERVICE_BUSY, { cause: error });
  }
  if (error.statusCode !== undefined && error.statusCode < 500) {
    return new AppError('invalid_request', error.message, { cause: error });
  }
  return new AppError('internal_error', 'Internal server error', { cause: error });
}

// Zod's default messages begin with 'Invalid' and do not name the field, so the name is put before them. The messages
// that the contract defines name their field.
function describeIssue(path = '', message = 'Invalid input'): string {
  const field = path.replace(/^\//, '').replaceAll('/', '.');
  return field === '' || !message.startsWith('Invalid') ? message : `${field}: ${message}`;
}
