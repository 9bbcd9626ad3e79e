// What a hosted sign-in service says about itself, and whether its word on who owns an address can be taken.
import type { Logger } from 'pino';
import * as z from 'zod';
import { away, type HostedAnswer, type HostedService, isAway } from './hosted-service.ts';

/** A service that the portal must not trust; the message is one sentence that says why. */
export class UnfitServiceError extends Error {
  override name = 'UnfitServiceError';
}

export type HostedSettings = {
  /** Whether it signs people in with Google; false until it said so. */
  google(): boolean;
  /** Resolves when tokens of the service may be taken. @throws what `away` makes, while they may not. */
  check(): Promise<void>;
};

type Known = { google: boolean; refusal: string | null; atMs: number };

// Somebody may change them while the portal runs.
const LOOK_AGAIN_MS = 10 * 60_000;
const RETRY_MS = 30_000;

const settingsBody = z.object({
  mailer_autoconfirm: z.boolean(),
  external: z.object({ google: z.boolean().optional() }).optional(),
});

/**
 * Reads the settings; a service that is away now is asked again at the first token.
 * @throws UnfitServiceError when it confirms addresses without asking, or is no service of the protocol.
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
  let asking: Promise<Known> | null = null;

  async function ask(): Promise<Known> {
    triedMs = now().getTime();
    known = { ...readSettings(url, await service.get('/settings')), atMs: triedMs };
    return known;
  }

  function look(): Promise<Known> {
    asking ??= ask().finally(() => {
      asking = null;
    });
    return asking;
  }

  function report({ refusal }: Known): void {
    if (refusal !== null) log.error(`${refusal}: no token of it is taken until that is changed`);
  }

  function lookAgain({ atMs, refusal }: Known): void {
    const ms = now().getTime();
    if (ms - triedMs < RETRY_MS || (refusal === null && ms - atMs < LOOK_AGAIN_MS)) return;
    look().then(report, (error: unknown) =>
      log.warn({ err: error }, 'the hosted sign-in service tells no settings'),
    );
  }

  try {
    const { refusal } = await look();
    if (refusal !== null) throw new UnfitServiceError(refusal);
  } catch (error) {
    if (!isAway(error)) throw error;
    log.warn(`${error.message}: nobody can sign in until it does.`);
  }

  return {
    google: () => known?.google ?? false,
    check: async () => {
      if (known === null) report(await look().catch(sayAway));
      else lookAgain(known);
      if (known?.refusal != null) throw away(known.refusal);
    },
  };
}

function sayAway(error: Error): never {
  throw away(error.message, error);
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
