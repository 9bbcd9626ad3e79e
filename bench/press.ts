// The load: a process of its own that makes one call after another, 64 callers at a time.
// Reads a Load as JSON from stdin and writes a Pressed to stdout.
import { json } from 'node:stream/consumers';
import { type Call, openCaller } from './caller.ts';

/** The call is made once a token, in order. */
export type Load = Omit<Call, 'token'> & { url: string; tokens: string[] };

/** `codes`: how many different coupon codes were answered. */
export type Pressed = { seconds: number; codes: number };

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
console.log(JSON.stringify({ seconds, codes: codes.size } satisfies Pressed));
