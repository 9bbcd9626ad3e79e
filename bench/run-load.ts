// Runs load-generator.ts in its own process and returns its result.
import { spawn } from 'node:child_process';
import { json } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import type { Load, LoadResult } from './load-generator.ts';
import type { Learner } from './seed.ts';

const LOAD_GENERATOR = fileURLToPath(new URL('./load-generator.ts', import.meta.url));

/** Makes the calls of `load` and returns the number of calls per second. */
export async function measureCalls(load: Load): Promise<number> {
  return load.tokens.length / (await run(load)).seconds;
}

/** Redeems the product once for each learner and returns the redemptions per second. Throws unless all codes differ. */
export async function redeemAll(url: string, learners: Learner[], productId: string): Promise<number> {
  const { seconds, codes } = await run({ url, ...redeemCall(productId), tokens: listTokens(learners) });
  if (codes !== learners.length) throw new Error(`${codes} different codes for ${learners.length} learners`);
  return codes / seconds;
}

export function redeemCall(productId: string) {
  return { method: 'POST', path: '/api/redeem-secure', body: JSON.stringify({ productId }) };
}

export function listTokens(learners: Learner[]): string[] {
  return learners.map(({ token }) => token);
}

async function run(load: Load): Promise<LoadResult> {
  const child = spawn(process.execPath, [LOAD_GENERATOR], { stdio: ['pipe', 'pipe', 'inherit'] });
  child.stdin.end(JSON.stringify(load));
  return (await json(child.stdout)) as LoadResult;
}
