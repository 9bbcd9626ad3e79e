// Makes all API calls. Adds cookies and the session's access token, sends and parses JSON, and throws an exception for
// an error response.
import type { BodyOf, ReplyOf } from '@portal/contract';
import { ApiError } from './api-error.ts';
import { endSession, getAccessToken, renewAccessToken } from './auth.ts';
import { type Call, pathOf } from './calls.ts';

/** Time-out of GET requests. */
const READ_TIMEOUT_MS = 30_000;

/** Input of a call: values for the `:name` parts of its path, and the request body. */
export type Input<C extends Call> = { params?: Record<string, string>; body?: BodyOf<C> };

/**
 * Calls an endpoint of the API and returns the body of the response. Throws ApiError for an error response, and
 * TypeError if there is no connection.
 */
export async function call<C extends Call>(of: C, input: Input<C> = {}): Promise<ReplyOf<C>> {
  const response = await requestAnswer(of.method, pathOf(of, input.params), input.body);
  return (await response.json()) as ReplyOf<C>;
}

/**
 * Makes a GET request and returns the JSON body (R-CACHE-01). Throws the errors of `call`, and a `TimeoutError` after
 * 30 seconds.
 */
export async function read(path: string): Promise<unknown> {
  const response = await requestRead(path);
  return response.json();
}

/**
 * Makes a GET request with the session's token and a time-out, and returns the response. Throws the same errors as
 * `read`.
 */
export function requestRead(path: string): Promise<Response> {
  return requestAnswer('GET', path, undefined, AbortSignal.timeout(READ_TIMEOUT_MS));
}

/**
 * Makes a request with the session's token and returns the response. Throws ApiError for an error response, and
 * TypeError if there is no connection.
 */
export async function requestAnswer(
  method: string,
  path: string,
  body?: unknown,
  signal?: AbortSignal,
): Promise<Response> {
  const response = await send(method, path, body, signal);
  if (!response.ok) throw new ApiError(response.status, response.statusText, await response.text());
  return response;
}

// After a 401, this function renews the token once and repeats the request, because the token may have expired. If the
// second response is a 401 too, the function ends the session.
async function send(method: string, path: string, body: unknown, signal: AbortSignal | undefined) {
  const attempt = (by: string | null) =>
    fetch(path, { ...requestInit(method, body, by), signal: signal ?? null });
  const token = await getAccessToken();
  const first = await attempt(token);
  if (first.status !== 401 || !token) return first;

  const renewed = await renewAccessToken();
  if (!renewed) return first;
  const second = await attempt(renewed);
  if (second.status === 401) await endSession();
  return second;
}

/** Returns the options for `fetch` (R-HTTP-01 to R-HTTP-04). */
function requestInit(method: string, body: unknown, token: string | null): RequestInit {
  const headers: Record<string, string> = {};
  if (body !== undefined) headers['Content-Type'] = 'application/json';
  if (token) headers.Authorization = `Bearer ${token}`;
  return {
    method,
    headers,
    credentials: 'include',
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  };
}
