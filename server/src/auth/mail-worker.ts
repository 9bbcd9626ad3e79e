// Empties the mail queue: woken when a mail is promised, and looking by itself for what is due or was left behind.
import { AsyncResource } from 'node:async_hooks';
import { MAILS_AT_ONCE } from '../gateways/mailer.ts';
import type { Log } from './context.ts';

export type MailWorker = {
  /** Says that there is something to send; answers at once. */
  wake(): void;
  /** Stops, letting the mails under way finish. */
  close(): Promise<void>;
};

const POLL_MS = 1_000;
const POLLS_A_CLEARING = 600;

/** `sendNext` answers false when nothing is due; `clear` deletes leftovers, about every ten minutes. */
export function startMailWorker({
  sendNext,
  clear,
  log,
}: {
  sendNext: () => Promise<boolean>;
  clear: () => Promise<void>;
  log: Log;
}): MailWorker {
  const underWay = new Set<Promise<void>>();
  let closed = false;
  let failing = false;
  let polls = 0;

  async function run(work: () => Promise<void>): Promise<void> {
    try {
      await work();
      failing = false;
    } catch (error) {
      // Once an outage, not once a second.
      if (!failing)
        log.error({ err: error }, 'The mail queue cannot be worked on; trying again every second');
      failing = true;
    }
  }

  async function drain(): Promise<void> {
    let found = true;
    while (found && !closed) found = await sendNext();
  }

  function start(work: () => Promise<void>): void {
    if (closed || underWay.size >= MAILS_AT_ONCE) return;
    const lane = run(work).finally(() => underWay.delete(lane));
    underWay.add(lane);
  }

  const timer = setInterval(() => {
    start(drain);
    if (polls % POLLS_A_CLEARING === 0) start(clear);
    polls += 1;
  }, POLL_MS);
  timer.unref();
  start(drain);

  return {
    // Not in the name of the request that woke it: it sends others' mails as well.
    wake: AsyncResource.bind(() => start(drain)),
    close: async () => {
      closed = true;
      clearInterval(timer);
      await Promise.all(underWay);
    },
  };
}
