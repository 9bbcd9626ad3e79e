// Makes all API calls. Adds cookies and the session's access token, sends and parses JSON, and throws an exception for
// an error response.
import type * as contract from '@portal/contract';
import type { BodyOf, Endpoint, ReplyOf } from '@portal/contract';
import { learnerCalls } from '@portal/contract/learner-calls';
import { endSession, getAccessToken, renewAccessToken } from './auth.ts';

const READ_TIMEOUT_MS = 30_000;

/** Input of a call: values for the `:name` parts of its path, and the request body. */
type Input<C extends Call> = { params?: Record<string, string>; body?: BodyOf<C> };

/** Throws ApiError for an error response, and TypeError if there is no connection. */
export async function call<C extends Call>(of: C, input: Input<C> = {}): Promise<ReplyOf<C>> {
  const response = await requestAnswer(of.method, pathOf(of, input.params), input.body);
  return (await response.json()) as ReplyOf<C>;
}

/** Makes a GET request (R-CACHE-01). Throws the errors of `call`, and a `TimeoutError` after 30 seconds. */
export async function read(path: string): Promise<unknown> {
  const response = await requestRead(path);
  return response.json();
}

/** Throws the same errors as `read`. */
function requestRead(path: string): Promise<Response> {
  return requestAnswer('GET', path, undefined, AbortSignal.timeout(READ_TIMEOUT_MS));
}

/** Makes a request with the session's token. Throws the same errors as `call`. */
async function requestAnswer(method: string, path: string, body?: unknown, signal?: AbortSignal) {
  const response = await send(method, path, body, signal);
  if (!response.ok) throw new ApiError(response.status, response.statusText, await response.text());
  return response;
}

/**
 * After a 401, renews the token once and repeats the request, because the token may have expired. If the second
 * response is a 401 too, ends the session.
 */
async function send(method: string, path: string, body: unknown, signal: AbortSignal | undefined) {
  const isPicture = body instanceof Blob;
  const type = isPicture ? body.type : 'application/json';
  const headers: HeadersInit = body === undefined ? {} : { 'Content-Type': type };
  // R-HTTP-01 to R-HTTP-04.
  const attempt = (by: string | null) =>
    fetch(path, {
      method,
      headers: { ...headers, ...(by && { Authorization: `Bearer ${by}` }) },
      credentials: 'include',
      ...(body === undefined ? {} : { body: isPicture ? body : JSON.stringify(body) }),
      signal: signal ?? null,
    });
  const token = await getAccessToken();
  const first = await attempt(token);
  if (first.status !== 401 || !token) return first;

  const renewed = await renewAccessToken();
  if (!renewed) return first;
  const second = await attempt(renewed);
  if (second.status === 401) await endSession();
  return second;
}

/**
 * Thrown for a response outside of 2xx. `message` is `{status}: {body}`, or `{status}: {status text}` if the body is
 * empty (R-HTTP-05, R-HTTP-06).
 */
export class ApiError extends Error {
  override name = 'ApiError';
  readonly status: number;
  /** True if the body is a JSON object. All errors of the portal's server are JSON objects. */
  readonly isReadable: boolean;
  /** Error code of the contract; undefined if the body is not a JSON error of the portal. */
  readonly code: string | undefined;
  readonly title: string | undefined;
  /** Message for the user; undefined if the body is not a JSON error of the portal. */
  readonly serverMessage: string | undefined;
  /** The day in the message for the user, YYYY-MM-DD; undefined if the message contains no day. */
  readonly day: string | undefined;
  /** Number of coupons that the request would change now; undefined for all errors except `count_changed`. */
  readonly count: number | undefined;
  /** Seconds until the request may be repeated; undefined for all errors except `too_many_requests`. */
  readonly retryAfter: number | undefined;
  /** Id of the user who has the address already; undefined for all errors except `duplicate_email`. */
  readonly userId: string | undefined;
  /** Known addresses that resemble the unknown one; empty for all errors except `user_not_found`. */
  readonly similar: readonly string[];

  constructor(status: number, statusText: string, body: string) {
    super(`${status}: ${body || statusText}`);
    const parsed = parseObject(body);
    const { code, title, message, day, count, retry_after, user_id, similar } = parsed ?? {};
    this.isReadable = parsed !== null;
    this.status = status;
    this.code = textOrUndefined(code);
    this.title = textOrUndefined(title);
    this.serverMessage = textOrUndefined(message);
    this.day = textOrUndefined(day);
    this.count = numberOrUndefined(count);
    this.retryAfter = numberOrUndefined(retry_after);
    this.userId = textOrUndefined(user_id);
    this.similar = Array.isArray(similar) ? similar : [];
  }
}

export function isNotFound(error: unknown): boolean {
  return error instanceof ApiError && error.status === 404;
}

function parseObject(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? { ...value } : null;
  } catch {
    return null;
  }
}

function textOrUndefined(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function numberOrUndefined(value: unknown): number | undefined {
  return typeof value === 'number' ? value : undefined;
}

/**
 * One page of a list. `total` is the number of rows in the whole list, or a lower bound if `isMore` is true. `next` is
 * the cursor of the next page, or null on the last page. `lookedUntil` is set if the server stopped reading the log
 * before the page was full. It is then the time of the last line that the server has read.
 */
export type ListPage<Row> = {
  rows: Row[];
  total: number;
  isMore: boolean;
  next: string | null;
  lookedUntil: string | null;
};

/** Returns one page. Its total and its cursor come from response headers. Throws the same errors as `read`. */
export async function readPage<Row>(address: string): Promise<ListPage<Row>> {
  const answer = await requestRead(address);
  const rows = (await answer.json()) as Row[];
  const total = Number(answer.headers.get('X-Total-Count') ?? rows.length);
  const isMore = answer.headers.get('X-Total-Count-Relation') === 'gte';
  const next = answer.headers.get('X-Next-Cursor');
  return { rows, total, isMore, next, lookedUntil: answer.headers.get('X-Looked-Until') };
}

/** Has no time-out. Throws the same errors as `call`, also if the connection is cut before the end of the body. */
export async function readFile(address: string): Promise<Blob> {
  const answer = await requestAnswer('GET', address);
  return answer.blob();
}

/** An endpoint with its method, its path and the types of its request and reply, but without schemas at run time. */
type WithoutSchemas<Of extends Endpoint> = Pick<Of, 'method' | 'path' | 'body'> & Partial<Pick<Of, 'reply'>>;
export type Call = WithoutSchemas<Endpoint>;
type LearnerCalls = { [Name in keyof typeof learnerCalls]: WithoutSchemas<(typeof contract)[Name]> };

/** The calls that the pages of visitors and learners make. Staff pages take theirs from the contract. */
export const { getSessionUser, checkAdmin, getProduct, listMyProducts, redeemCoupon }: LearnerCalls =
  learnerCalls;

/** Returns the path of a call with its `:name` parts replaced by encoded values. */
export function pathOf(call: { path: string }, params: Record<string, string> = {}): string {
  return call.path.replace(/:(\w+)/g, (_part, name: string) => encodeURIComponent(params[name] ?? ''));
}
