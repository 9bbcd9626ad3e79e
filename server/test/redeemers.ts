// Starts several processes that redeem at the same moment. Each process runs the program redeem-in-process.ts.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';
import type { Outcome, Press } from './redeem-in-process.ts';
import { SPAWN_ENV } from './spawn-env.ts';

const PROCESSES = 4;
const REDEEMER = fileURLToPath(import.meta.resolve('./redeem-in-process.ts'));

function startRedeemer(url: string) {
  const child = spawn(process.execPath, [REDEEMER, url], {
    stdio: ['pipe', 'pipe', 'inherit'],
    env: SPAWN_ENV,
  });
  const exited = once(child, 'exit');
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    /**
     * Makes the process open all its database connections. Each of `presses` is one redemption, as by a press of the
     * button. Resolves to a function that makes all these redemptions at once and returns their outcomes.
     */
    prepare: async (presses: Press[]) => {
      child.stdin.write(`${JSON.stringify(presses)}\n`);
      await lines.next();
      return async () => {
        child.stdin.write('go\n');
        return JSON.parse((await lines.next()).value ?? '[]') as Outcome[];
      };
    },
    end: async () => {
      child.stdin.end();
      expect(await exited).toEqual([0, null]);
    },
  };
}

export type Redeemers = {
  /**
   * Distributes `presses` over the processes. Then all processes redeem at the same moment, and `meanwhile` is called
   * at this moment too. Returns the outcomes in the order of `presses`.
   */
  redeemAtOnce(presses: Press[], meanwhile?: () => Promise<unknown>): Promise<Outcome[]>;
  end(): Promise<unknown>;
};

export function startRedeemers(url: string): Redeemers {
  const redeemers = Array.from({ length: PROCESSES }, () => startRedeemer(url));
  return {
    redeemAtOnce: async (presses, meanwhile = async () => undefined) => {
      const preparing = redeemers.map(({ prepare }, turn) =>
        prepare(presses.filter((_press, at) => at % PROCESSES === turn)),
      );
      const prepared = await Promise.all(preparing);
      const redeeming = Promise.all(prepared.map((redeem) => redeem()));
      const [outcomes] = await Promise.all([redeeming, meanwhile()]);
      return presses.map((_press, at) => outcomes[at % PROCESSES]?.[Math.floor(at / PROCESSES)] as Outcome);
    },
    end: () => Promise.all(redeemers.map(({ end }) => end())),
  };
}
