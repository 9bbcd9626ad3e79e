// What a refused call looks like to the pages.

/** A non-OK answer. `message` is `{status}: {body text, or status text}` (R-HTTP-05, R-HTTP-06). */
export class ApiError extends Error {
  override name = 'ApiError';
  /** HTTP status. */
  readonly status: number;
  /** Whether the body is a JSON object, as the server's are. */
  readonly isReadable: boolean;
  /** Error code of the contract; undefined when the body is not the server's. */
  readonly code: string | undefined;
  readonly title: string | undefined;
  /** The words for the person; undefined when the body is not the server's. */
  readonly serverMessage: string | undefined;

  constructor(status: number, statusText: string, body: string) {
    super(`${status}: ${body || statusText}`);
    const parsed = parseObject(body);
    const { code, title, message } = parsed ?? {};
    this.isReadable = parsed !== null;
    this.status = status;
    this.code = textOrUndefined(code);
    this.title = textOrUndefined(title);
    this.serverMessage = textOrUndefined(message);
  }
}

/** True when the server said that the thing does not exist. */
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
