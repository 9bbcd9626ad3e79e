// Calls to a hosted service of the Supabase Auth protocol, with its public key and our patience.

export type HostedAnswer = { status: number; body: unknown };

export type HostedService = {
  /**
   * GET of a path below the service's address. With a token, `person` is whose checks it uses up; null: those of all
   * tokens that name nobody who is known. @throws what `away` makes, when there is no answer worth reading.
   */
  get(path: string, asked?: { token: string; person: string | null }): Promise<HostedAnswer>;
};

const PATIENCE_MS = 5_000;
// Tokens that nobody signed can make us ask about them: not without end, and never in the way of settings, keys and known people.
const MAX_ASKED_ABOUT = 50;

/** A fault that passes: the caller is told to try again (HTTP 503). */
export function away(reason: string, cause?: unknown): Error {
  return Object.assign(new Error(reason, { cause }), { statusCode: 503 });
}

/** True for what `away` made. */
export function isAway(error: unknown): error is Error {
  return error instanceof Error && 'statusCode' in error && error.statusCode === 503;
}

/** `url` without a slash at its end; `anonKey` is what hosted projects want to see on every call. */
export function openHostedService({ url, anonKey }: { url: string; anonKey: string | null }): HostedService {
  const askedAbout = new Map<string | null, number>();

  async function send(path: string, token: string | undefined): Promise<HostedAnswer> {
    const response = await fetch(`${url}${path}`, {
      headers: {
        accept: 'application/json',
        ...(anonKey !== null && { apikey: anonKey }),
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
      },
      // A token goes where AUTH_URL says, and not where an answer says.
      redirect: 'error',
      signal: AbortSignal.timeout(PATIENCE_MS),
    });
    const body: unknown = await response.text().then(parseJson);
    return { status: response.status, body };
  }

  function count(path: string, person: string | null): void {
    const underWay = askedAbout.get(person) ?? 0;
    if (underWay >= MAX_ASKED_ABOUT) throw away(`Too many calls of ${url}${path} are under way`);
    askedAbout.set(person, underWay + 1);
  }

  function uncount(person: string | null): void {
    const underWay = (askedAbout.get(person) ?? 1) - 1;
    if (underWay === 0) askedAbout.delete(person);
    else askedAbout.set(person, underWay);
  }

  return {
    get: async (path, asked) => {
      if (asked !== undefined) count(path, asked.person);
      const answer = await send(path, asked?.token)
        .catch((cause: unknown) => {
          throw away(`${url}${path} does not answer (${describe(cause)})`, cause);
        })
        .finally(() => {
          if (asked !== undefined) uncount(asked.person);
        });
      if (answer.status >= 500 || answer.status === 408 || answer.status === 429) {
        throw away(`${url}${path} answers ${answer.status}`);
      }
      return answer;
    },
  };
}

/** Undefined for what is no JSON, which no answer of the protocol is. */
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
