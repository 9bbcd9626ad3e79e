// HTTP client of a hosted sign-in service with Supabase Auth's protocol. Each call sends the public API key and has a
// time-out.

export type HostedAnswer = { status: number; body: unknown };

export type HostedService = {
  /**
   * Sends GET to a path below the service's address. If `asked` is given, the request contains `asked.token`, and the
   * service checks this token. At most 50 such checks run at the same time for each `person`. Checks for unknown
   * persons (`person` is null) share one limit of 50.
   * @throws the error that `unavailable` creates, if the service sends no usable response.
   */
  get(path: string, asked?: { token: string; person: string | null }): Promise<HostedAnswer>;
  /**
   * Sends POST with a JSON body to a path below the service's address. A response 429 is returned like any other below
   * 500. @throws the error that `unavailable` creates.
   */
  post(path: string, body: object): Promise<HostedAnswer>;
};

const TIMEOUT_MS = 5_000;
// At most this many calls that check tokens of the same person run at the same time. All tokens of unknown persons
// share one limit: anybody can send invented tokens, and each token causes a call. Calls that load settings or keys are
// not limited.
const MAX_CALLS_PER_PERSON = 50;

/** Returns an error for a temporary failure of the hosted service. The portal then responds 503. */
export function unavailable(reason: string, cause?: unknown): Error {
  return Object.assign(new Error(reason, { cause }), { statusCode: 503 });
}

/** True if `error` was created by `unavailable`. */
export function isUnavailable(error: unknown): error is Error {
  return error instanceof Error && 'statusCode' in error && error.statusCode === 503;
}

/**
 * Opens the client. `url` has no trailing slash. `anonKey` is the API key that Supabase's hosted projects require in
 * every call.
 */
export function openHostedService({ url, anonKey }: { url: string; anonKey: string | null }): HostedService {
  const callsUnderWay = new Map<string | null, number>();

  async function send(path: string, token: string | undefined, sent?: object): Promise<HostedAnswer> {
    const response = await fetch(`${url}${path}`, {
      method: sent === undefined ? 'GET' : 'POST',
      body: sent === undefined ? null : JSON.stringify(sent),
      headers: {
        accept: 'application/json',
        ...(sent !== undefined && { 'content-type': 'application/json' }),
        ...(anonKey !== null && { apikey: anonKey }),
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
      },
      // A redirect could send the token to another address than AUTH_URL. So redirects are treated as errors.
      redirect: 'error',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    const body: unknown = await response.text().then(parseJson);
    return { status: response.status, body };
  }

  function refuse(path: string, cause: unknown): never {
    throw unavailable(`${url}${path} does not answer (${describe(cause)})`, cause);
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
        .catch((cause: unknown) => refuse(path, cause))
        .finally(() => {
          if (asked !== undefined) uncount(asked.person);
        });
      if (answer.status >= 500 || answer.status === 408 || answer.status === 429) {
        throw unavailable(`${url}${path} answers ${answer.status}`);
      }
      return answer;
    },
    post: async (path, body) => {
      const answer = await send(path, undefined, body).catch((cause: unknown) => refuse(path, cause));
      if (answer.status >= 500 || answer.status === 408)
        throw unavailable(`${url}${path} answers ${answer.status}`);
      return answer;
    },
  };
}

/** Parses JSON. Returns undefined for any other text; callers treat undefined as an invalid response. */
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
