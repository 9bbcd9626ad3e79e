// Reads the settings of a hosted sign-in service. Checks that users of the service must confirm their e-mail addresses.
import type { Logger } from 'pino';
import * as z from 'zod';
import { type HostedAnswer, type HostedService, isUnavailable, unavailable } from './hosted-service.ts';

/** The error for a hosted service that the portal must not trust. The message states the reason in one sentence. */
export class UnfitServiceError extends Error {
  override name = 'UnfitServiceError';
}

export type HostedSettings = {
  /** True if the service offers sign-in with Google. False as long as its settings could not be read. */
  google(): boolean;
  /**
   * Resolves if the portal may accept tokens of the service. @throws the error that `unavailable` creates, if the
   * portal must not accept them or the settings could not be read.
   */
  check(): Promise<void>;
};

type Known = { google: boolean; refusal: string | null; atMs: number };

// The settings of the service can change while the portal runs, so they are read again after this time.
const REFRESH_MS = 10 * 60_000;
const RETRY_MS = 30_000;

const settingsBody = z.object({
  mailer_autoconfirm: z.boolean(),
  external: z.object({ google: z.boolean().optional() }).optional(),
});

/**
 * Reads the settings of the service. If the service is unavailable, the settings are read later, before the first token
 * is checked.
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

  function load(): Promise<Known> {
    loading ??= fetchSettings().finally(() => {
      loading = null;
    });
    return loading;
  }

  function report({ refusal }: Known): void {
    if (refusal !== null) log.error(`${refusal}: no token of it is taken until that is changed`);
  }

  function refreshIfOld({ atMs, refusal }: Known): void {
    const ms = now().getTime();
    // Ages are absolute, because the clock may have been put back.
    if (Math.abs(ms - triedMs) < RETRY_MS || (refusal === null && Math.abs(ms - atMs) < REFRESH_MS)) return;
    load().then(report, (error: unknown) =>
      log.warn({ err: error }, 'the hosted sign-in service tells no settings'),
    );
  }

  try {
    const { refusal } = await load();
    if (refusal !== null) throw new UnfitServiceError(refusal);
  } catch (error) {
    if (!isUnavailable(error)) throw error;
    log.warn(`${error.message}: nobody can sign in until it does.`);
  }

  return {
    google: () => known?.google ?? false,
    check: async () => {
      if (known === null) report(await load().catch(rethrowUnavailable));
      else refreshIfOld(known);
      if (known?.refusal != null) throw unavailable(known.refusal);
    },
  };
}

function rethrowUnavailable(error: Error): never {
  throw unavailable(error.message, error);
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
