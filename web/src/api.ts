// The one door to the API: JSON, cookies, the session's token, and refusals as errors.
import type { BodyOf, Endpoint, ReplyOf } from '@portal/contract';
import { ApiError } from './api-error.ts';
import { endSession, getAccessToken, renewAccessToken } from './auth.ts';
import { type Call, pathOf } from './calls.ts';

/** Nobody waits longer for a reading that is not answered. */
const READ_PATIENCE_MS = 30_000;

/** Values for the `:name` parts of the path, and what is sent. */
export type Input<E extends Endpoint> = { params?: Record<string, string>; body?: BodyOf<E> };

/** Makes a call and answers its reply. Throws ApiError when the server refuses, TypeError when it cannot be reached. */
export async function call<E extends Endpoint>(of: Call<E>, input: Input<E> = {}): Promise<ReplyOf<E>> {
  const response = await requestAnswer(of.method, pathOf(of, input.params), input.body);
  return (await response.json()) as ReplyOf<E>;
}

/** Reads an address as JSON (R-CACHE-01). Throws as `call` does, and a `TimeoutError` when that takes too long. */
export async function read(path: string): Promise<unknown> {
  const response = await requestRead(path);
  return response.json();
}

/** Reads an address as this session. Throws as `read` does. Changes have no such limit: they may be made all the same. */
export function requestRead(path: string): Promise<Response> {
  return requestAnswer('GET', path, undefined, AbortSignal.timeout(READ_PATIENCE_MS));
}

/** Makes a request as this session. Throws ApiError when it is refused. */
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

// A token may have been refused because it is old: it is renewed once, and the session ends when that was not why.
async function send(method: string, path: string, body: unknown, signal: AbortSignal | undefined) {
  const ask = (by: string | null) =>
    fetch(path, { ...requestInit(method, body, by), signal: signal ?? null });
  const token = await getAccessToken();
  const first = await ask(token);
  if (first.status !== 401 || !token) return first;

  const renewed = await renewAccessToken();
  if (!renewed) return first;
  const second = await ask(renewed);
  if (second.status === 401) await endSession();
  return second;
}

/** What `fetch` is told: R-HTTP-01 to R-HTTP-04. */
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
