// Starts several processes that redeem at the same moment. Each process runs the program redeem-in-process.ts.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';
import type { Outcome, Press, Round } from './redeem-in-process.ts';
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
     * Makes the process open all its database connections. Resolves to a function that starts the redemptions `presses`, and
     * calls `report` with the index and outcome of each redemption.
     */
    prepare: async (round: Round, report: (index: number, outcome: Outcome) => void) => {
      child.stdin.write(`${JSON.stringify(round)}\n`);
      await lines.next();
      return async () => {
        child.stdin.write('go\n');
        for (let count = 0; count < round.presses.length; count += 1)
          report(...(JSON.parse((await lines.next()).value ?? '[]') as [number, Outcome]));
      };
    },
    end: async () => {
      child.stdin.end();
      expect(await exited).toEqual([0, null]);
    },
  };
}

type Options = {
  /**
   * Runs during the redemptions. `early` contains the indexes of redemptions that ended before. `meanwhile` calls `onStep`
   * after each of its steps, if it has several.
   */
  meanwhile?: (early: ReadonlySet<number>, onStep: () => void) => Promise<unknown>;
  /**
   * With a positive number, `meanwhile` is called when this number of redemptions have ended. With a negative number,
   * the redemptions start when `meanwhile` has made this number of steps. With 0, both start at the same moment.
   */
  startAfter?: number;
  /** The number of redemptions that each process makes at the same time. Without `lanes`, all at once. */
  lanes?: number;
  /** The time of the processes' clocks, in ISO 8601. Without `at`, the real time. */
  at?: string | null;
};
export type Redeemers = {
  /** Distributes `presses` over the processes, which redeem. Returns the outcomes in the order of `presses`. */
  redeemAtOnce(presses: Press[], options?: Options): Promise<Outcome[]>;
  end(): Promise<unknown>;
};

export function startRedeemers(url: string): Redeemers {
  const redeemers = Array.from({ length: PROCESSES }, () => startRedeemer(url));
  return {
    redeemAtOnce: async (presses, { meanwhile, startAfter = 0, lanes = presses.length, at = null } = {}) => {
      const outcomes: Outcome[] = [];
      const early = new Set<number>();
      const [acting, pressing] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      const preparing = redeemers.map(({ prepare }, turn) => {
        const own = presses.filter((_press, index) => index % PROCESSES === turn);
        return prepare({ presses: own, lanes, at }, (index, outcome) => {
          outcomes[index * PROCESSES + turn] = outcome;
          if (early.size < startAfter) early.add(index * PROCESSES + turn);
          if (early.size === startAfter) acting.resolve();
        });
      });
      const prepared = await Promise.all(preparing);
      let steps = 0;
      const onStep = () => {
        steps += 1;
        if (steps === -startAfter) pressing.resolve();
      };
      if (startAfter <= 0) acting.resolve();
      if (startAfter >= 0) pressing.resolve();
      const acted = acting.promise.then(() => meanwhile?.(early, onStep)).finally(pressing.resolve);
      const redeemed = pressing.promise.then(() => Promise.all(prepared.map((redeem) => redeem())));
      await Promise.all([redeemed, acted]);
      return outcomes;
    },
    end: () => Promise.all(redeemers.map(({ end }) => end())),
  };
}
