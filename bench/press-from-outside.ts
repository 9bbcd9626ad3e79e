// Starts the load of press.ts in a process of its own, and reads what came of it.
import { spawn } from 'node:child_process';
import { json } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import type { Learner } from './people.ts';
import type { Load, Pressed } from './press.ts';

const PRESS = fileURLToPath(new URL('./press.ts', import.meta.url));

/** Calls a second. */
export async function press(load: Load): Promise<number> {
  return load.tokens.length / (await run(load)).seconds;
}

/** Every learner redeems the product once; answers codes a second. */
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

async function run(load: Load): Promise<Pressed> {
  const child = spawn(process.execPath, [PRESS], { stdio: ['pipe', 'pipe', 'inherit'] });
  child.stdin.end(JSON.stringify(load));
  return (await json(child.stdout)) as Pressed;
}
