// The load: a process of its own that redeems over HTTP, 64 callers at a time.
// Reads {url, productId, tokens} as JSON from stdin and writes {seconds, codes} to stdout.
import { Agent, request } from 'node:http';
import { json } from 'node:stream/consumers';

const CALLERS = 64;

const { url, productId, tokens } = (await json(process.stdin)) as {
  url: string;
  productId: string;
  tokens: string[];
};
const agent = new Agent({ keepAlive: true, maxSockets: CALLERS });
const body = JSON.stringify({ productId });

function redeem(token: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const headers = {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      'content-length': body.length,
    };
    const asked = request(`${url}/api/redeem-secure`, { method: 'POST', agent, headers }, (response) => {
      json(response).then((answer) => {
        if (response.statusCode === 200)
          resolve((answer as { coupon: { couponCode: string } }).coupon.couponCode);
        else reject(new Error(`${response.statusCode} ${JSON.stringify(answer)}`));
      }, reject);
    });
    asked.on('error', reject);
    asked.end(body);
  });
}

const waiting = tokens.entries();
const codes = new Set<string>();
const startedMs = performance.now();
await Promise.all(
  Array.from({ length: CALLERS }, async () => {
    for (const [, token] of waiting) codes.add(await redeem(token));
  }),
);
const seconds = (performance.now() - startedMs) / 1000;
agent.destroy();
console.log(JSON.stringify({ seconds, codes: codes.size }));
