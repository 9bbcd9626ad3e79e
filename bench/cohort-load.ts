// Simulates learners who arrive within a short time, sign in and redeem. Runs as its own process, which also contains
// the mail server. Prints the SMTP_URL of the mail server, then reads a Cohort as JSON from stdin. At the end prints a
// CohortResult as JSON.

import { json } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { type Call, openCaller } from './caller.ts';
import { openMailServer } from './mail-server.ts';

export type Cohort = { url: string; productId: string; emails: string[]; seconds: number };

/**
 * `seconds`: from the first arrival to the end of the last visit. `codes`: the number of different codes that learners
 * got. `milliseconds`: for each step of a visit, one duration per learner. `errors`: how often each error occurred.
 */
export type CohortResult = {
  seconds: number;
  codes: number;
  milliseconds: Record<string, number[]>;
  errors: Record<string, number>;
};

const MAIL_TIMEOUT_MS = 60_000;

const mails = await openMailServer();
console.log(mails.url);
const { url, productId, emails, seconds } = (await json(process.stdin)) as Cohort;
const milliseconds: Record<string, number[]> = {};
const errors: Record<string, number> = {};
const codes = new Set<string>();

async function time<T>(step: string, work: Promise<T>): Promise<T> {
  const startedMs = performance.now();
  const done = await work;
  milliseconds[step] ??= [];
  milliseconds[step].push(performance.now() - startedMs);
  return done;
}

async function rejectAfterTimeout(): Promise<never> {
  await pause(MAIL_TIMEOUT_MS, undefined, { ref: false });
  throw new Error('no mail came within a minute');
}

async function visit(email: string): Promise<void> {
  const caller = await openCaller(url);
  const ask = (step: string, call: Call) => time(step, caller.call(call));
  const get = (step: string, path: string, token?: string) => ask(step, { method: 'GET', path, token });
  try {
    await get('the page', '/');
    const body = JSON.stringify({ email, create_user: true });
    await ask('asking for the mail', { method: 'POST', path: '/auth/v1/otp', body });
    const code = await time(
      'waiting for the mail',
      Promise.race([mails.takeCode(email), rejectAfterTimeout()]),
    );
    const proof = JSON.stringify({ type: 'email', email, token: code });
    const session = await ask('signing in', { method: 'POST', path: '/auth/v1/verify', body: proof });
    const { access_token: token } = JSON.parse(session) as { access_token: string };
    await get('who one is', '/api/auth/user', token);
    await get("one's products", '/api/my/products', token);
    await get('the product', `/api/products/${productId}`, token);
    const redeem = { method: 'POST', path: '/api/redeem-secure', token, body: JSON.stringify({ productId }) };
    const answer = JSON.parse(await ask('redeeming', redeem)) as { coupon: { couponCode: string } };
    codes.add(answer.coupon.couponCode);
  } finally {
    caller.close();
  }
}

const startedMs = performance.now();
await Promise.all(
  emails.map(async (email, index) => {
    await pause((index / emails.length) * seconds * 1000);
    await visit(email).catch((error: Error) => {
      const message = error.message.split('\r\n', 1)[0] ?? '';
      errors[message] = (errors[message] ?? 0) + 1;
    });
  }),
);
const took = (performance.now() - startedMs) / 1000;
await mails.close();
console.log(
  JSON.stringify({ seconds: took, codes: codes.size, milliseconds, errors } satisfies CohortResult),
);
