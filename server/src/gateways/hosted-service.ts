// HTTP client of a hosted sign-in service (Supabase Auth protocol), with its public API key and a time-out.

export type HostedAnswer = { status: number; body: unknown };

export type HostedService = {
  /**
   * Sends GET to a path below the service's address; `asked.token` is the token to check. Concurrent checks are limited
   * for each `person`. With `person` null, all tokens of unknown users share one limit.
   * @throws an `unavailable` error if there is no usable response.
   */
  get(path: string, asked?: { token: string; person: string | null }): Promise<HostedAnswer>;
};

const TIMEOUT_MS = 5_000;
// Concurrent calls per person. Anybody can send unsigned tokens, so the portal limits the calls that check them. Calls
// for settings, keys and other persons are not affected.
const MAX_CALLS_PER_PERSON = 50;

/** Returns an error for a temporary failure; the caller of the portal gets HTTP 503. */
export function unavailable(reason: string, cause?: unknown): Error {
  return Object.assign(new Error(reason, { cause }), { statusCode: 503 });
}

/** True for an error of `unavailable`. */
export function isUnavailable(error: unknown): error is Error {
  return error instanceof Error && 'statusCode' in error && error.statusCode === 503;
}

/** `url` has no trailing slash. `anonKey` is the API key that hosted projects require on every call. */
export function openHostedService({ url, anonKey }: { url: string; anonKey: string | null }): HostedService {
  const callsUnderWay = new Map<string | null, number>();

  async function send(path: string, token: string | undefined): Promise<HostedAnswer> {
    const response = await fetch(`${url}${path}`, {
      headers: {
        accept: 'application/json',
        ...(anonKey !== null && { apikey: anonKey }),
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
      },
      // Redirects are refused: a token must only be sent to AUTH_URL.
      redirect: 'error',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    const body: unknown = await response.text().then(parseJson);
    return { status: response.status, body };
  }

  function count(path: string, person: string | null): void {
    const underWay = callsUnderWay.get(person) ?? 0;
    if (underWay >= MAX_CALLS_PER_PERSON) throw unavailable(`Too many calls of ${url}${path} are under way`);
    callsUnderWay.set(person, underWay + 1);
  }

  function uncount(person: string | null): void {
    const underWay = (callsUnderWay.get(person) ?? 1) - 1;
    if (underWay === 0) callsUnderWay.delete(person);
    else callsUnderWay.set(person, underWay);
  }

  return {
    get: async (path, asked) => {
      if (asked !== undefined) count(path, asked.person);
      const answer = await send(path, asked?.token)
        .catch((cause: unknown) => {
          throw unavailable(`${url}${path} does not answer (${describe(cause)})`, cause);
        })
        .finally(() => {
          if (asked !== undefined) uncount(asked.person);
        });
      if (answer.status >= 500 || answer.status === 408 || answer.status === 429) {
        throw unavailable(`${url}${path} answers ${answer.status}`);
      }
      return answer;
    },
  };
}

/** Returns undefined for text that is not JSON, which is no valid response. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? error.cause.message || error.message : error.message;
}
