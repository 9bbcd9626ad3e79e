// HTTP client of a hosted sign-in service with Supabase Auth's protocol. Reads the settings of the service, and checks
// that its users must confirm their e-mail addresses.
import type { Logger } from 'pino';
import * as z from 'zod';

type HostedAnswer = { status: number; body: unknown };

export type HostedService = {
  /**
   * Sends GET to a path below the service's address. With `asked`, the request contains `asked.token`, and the service
   * checks this token. `asked.person` is the person whose limit of concurrent calls applies
   * (MAX_CALLS_PER_PERSON); null for an unknown person.
   * @throws the error that `unavailable` creates, if the response is 408, 429 or 5xx, there is none, or too many calls
   * are running.
   */
  get(path: string, asked?: { token: string; person: string | null }): Promise<HostedAnswer>;
  /**
   * Sends POST with a JSON body to a path below the service's address. Returns a response 429, unlike `get`.
   * @throws the error that `unavailable` creates, if the response is 408 or 5xx, or there is none.
   */
  post(path: string, body: object): Promise<HostedAnswer>;
};

const TIMEOUT_MS = 5_000;
// Limit of concurrent calls that check tokens of the same person. All unknown persons share one limit, because anybody
// can send invented tokens, and each token causes a call. Calls that load settings or keys are not limited.
const MAX_CALLS_PER_PERSON = 50;

/** Returns the error for a temporary failure of the hosted service. The portal responds 503 to this error. */
export function unavailable(reason: string, cause?: unknown): Error {
  return Object.assign(new Error(reason, { cause }), { statusCode: 503 });
}

/** `url` has no trailing slash. `anonKey` is the API key that Supabase's hosted projects require in every call. */
export function openHostedService({ url, anonKey }: { url: string; anonKey: string | null }): HostedService {
  const callsUnderWay = new Map<string | null, number>();

  async function send(path: string, token?: string, sent?: object): Promise<HostedAnswer> {
    const response = await fetch(`${url}${path}`, {
      method: sent === undefined ? 'GET' : 'POST',
      body: sent === undefined ? null : JSON.stringify(sent),
      headers: {
        accept: 'application/json',
        ...(sent !== undefined && { 'content-type': 'application/json' }),
        ...(anonKey !== null && { apikey: anonKey }),
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
      },
      // A redirect could send the token to another address than AUTH_URL, so it is an error.
      redirect: 'error',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    const body: unknown = await response.text().then(parseJson);
    return { status: response.status, body };
  }

  async function call(path: string, token?: string, sent?: object): Promise<HostedAnswer> {
    const answer = await send(path, token, sent).catch((cause: unknown) => {
      throw unavailable(`${url}${path} does not answer (${describe(cause)})`, cause);
    });
    const isDown = answer.status >= 500 || answer.status === 408 || (answer.status === 429 && !sent);
    if (isDown) throw unavailable(`${url}${path} answers ${answer.status}`);
    return answer;
  }

  return {
    get: async (path, asked) => {
      if (asked === undefined) return call(path);
      const { token, person } = asked;
      const underWay = callsUnderWay.get(person) ?? 0;
      if (underWay >= MAX_CALLS_PER_PERSON)
        throw unavailable(`Too many calls of ${url}${path} are under way`);
      callsUnderWay.set(person, underWay + 1);
      return call(path, token).finally(() => {
        const left = (callsUnderWay.get(person) ?? 1) - 1;
        if (left === 0) callsUnderWay.delete(person);
        else callsUnderWay.set(person, left);
      });
    },
    post: (path, body) => call(path, undefined, body),
  };
}

/** Returns undefined if the text is not JSON. Callers treat undefined as an invalid response. */
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

/** Thrown if the portal must not trust the hosted service. The message has the reason. */
export class UnfitServiceError extends Error {
  override name = 'UnfitServiceError';
}

type HostedSettings = {
  /** True if the service offers sign-in with Google. False until the settings of the service were read. */
  google(): boolean;
  /**
   * Resolves if the portal may accept tokens of the service.
   * @throws the error that `unavailable` creates, if the service accepts unconfirmed e-mail addresses, or its settings
   * could not be read.
   */
  check(): Promise<void>;
};

type Known = { google: boolean; refusal: string | null; atMs: number };

// The service's settings can change while the portal runs. So the portal reads the settings again after this time.
const REFRESH_MS = 10 * 60_000;
const RETRY_MS = 30_000;

const settingsBody = z.object({
  mailer_autoconfirm: z.boolean(),
  external: z.object({ google: z.boolean().optional() }).optional(),
});

/**
 * Reads the settings of the service. If the service is unavailable, `check` reads the settings later.
 * @throws UnfitServiceError if the service accepts e-mail addresses without confirmation, or responds in another format
 * than Supabase Auth.
 */
export async function openHostedSettings({
  service,
  url,
  now,
  log,
}: {
  service: HostedService;
  url: string;
  now: () => Date;
  log: Pick<Logger, 'warn' | 'error'>;
}): Promise<HostedSettings> {
  let known: Known | null = null;
  let triedMs = 0;
  let loading: Promise<Known> | null = null;

  async function fetchSettings(): Promise<Known> {
    triedMs = now().getTime();
    known = { ...readSettings(url, await service.get('/settings')), atMs: triedMs };
    return known;
  }

  const load = (): Promise<Known> => (loading ??= fetchSettings().finally(() => (loading = null)));

  function report({ refusal }: Known): void {
    if (refusal !== null) log.error(`${refusal}: no token of it is taken until that is changed`);
  }

  function refreshIfOld({ atMs, refusal }: Known): void {
    const ms = now().getTime();
    // `Math.abs`, because an earlier time is in the future if the clock was put back.
    if (Math.abs(ms - triedMs) < RETRY_MS || (refusal === null && Math.abs(ms - atMs) < REFRESH_MS)) return;
    load().then(report, (error: unknown) =>
      log.warn({ err: error }, 'the hosted sign-in service tells no settings'),
    );
  }

  try {
    const { refusal } = await load();
    if (refusal !== null) throw new UnfitServiceError(refusal);
  } catch (error) {
    // Errors that `unavailable` created have a status code.
    if (!(error instanceof Error && 'statusCode' in error)) throw error;
    log.warn(`${error.message}: nobody can sign in until it does.`);
  }

  return {
    google: () => known?.google ?? false,
    check: async () => {
      if (known !== null) refreshIfOld(known);
      else await load().then(report, (error: Error) => Promise.reject(unavailable(error.message, error)));
      if (known?.refusal != null) throw unavailable(known.refusal);
    },
  };
}

function readSettings(url: string, { status, body }: HostedAnswer): Omit<Known, 'atMs'> {
  const parsed = settingsBody.safeParse(body);
  if (status !== 200 || !parsed.success) {
    throw new UnfitServiceError(
      `${url}/settings answers ${status}, and not with the settings of a Supabase Auth service (hosted projects want AUTH_ANON_KEY)`,
    );
  }
  const { mailer_autoconfirm, external } = parsed.data;
  const refusal = mailer_autoconfirm
    ? `${url} confirms addresses without asking (its setting mailer_autoconfirm is on), so anybody could claim any address`
    : null;
  return { google: external?.google ?? false, refusal };
}
