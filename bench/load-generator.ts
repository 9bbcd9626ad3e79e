// Calls a server once for each access token, over 64 parallel connections. Runs as its own process, which reads a Load
// as JSON from stdin and prints a LoadResult as JSON.
import { json } from 'node:stream/consumers';
import { type Call, openCaller } from './caller.ts';

/**
 * One call, and the access tokens. The load generator makes the call once with each token, in the order of `tokens`.
 */
export type Load = Omit<Call, 'token'> & { url: string; tokens: string[] };

/** `codes`: the number of different coupon codes in the responses. */
export type LoadResult = { seconds: number; codes: number };

const CALLERS = 64;

const { url, tokens, ...call } = (await json(process.stdin)) as Load;
const callers = await Promise.all(Array.from({ length: CALLERS }, () => openCaller(url)));
const waiting = tokens.values();
const codes = new Set<string>();
const startedMs = performance.now();
await Promise.all(
  callers.map(async (caller) => {
    for (const token of waiting) {
      const code = /"couponCode":"([^"]*)"/.exec(await caller.call({ ...call, token }))?.[1];
      if (code !== undefined) codes.add(code);
    }
  }),
);
const seconds = (performance.now() - startedMs) / 1000;
for (const caller of callers) caller.close();
console.log(JSON.stringify({ seconds, codes: codes.size } satisfies LoadResult));
