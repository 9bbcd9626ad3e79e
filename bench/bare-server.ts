// Baseline for the portal's calls: a node:http server that only runs the same statements through pg.
// Reads {databaseUrl, productId, identities: [[token, identity]…]} as JSON from stdin and prints its port.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import pg from 'pg';
import type { Db } from '../server/src/db/database.ts';
import type { Identity } from '../server/src/stores/callers.ts';
import { claimCoupon } from '../server/src/stores/claims.ts';
import { listProductsOfCaller } from '../server/src/stores/products.ts';

const { databaseUrl, productId, identities } = (await json(process.stdin)) as {
  databaseUrl: string;
  productId: string;
  identities: [string, Identity][];
};
const pool = new pg.Pool({ connectionString: databaseUrl, max: 16 });
const names = new Map<string, string>();
const db = {
  query: (text: string, values: unknown[]) => {
    const name = names.get(text) ?? `statement-${names.size}`;
    names.set(text, name);
    return pool.query({ name, text, values });
  },
} as unknown as Db;
const known = new Map(identities);
const claim = {
  product_id: productId,
  after: '0',
  assigned_by: 'learner',
  action: 'coupon.redeem',
  at: new Date(),
};

async function answer(method: string | undefined, caller: Identity): Promise<unknown> {
  if (method === 'GET') return listProductsOfCaller(db, caller);
  const found = await claimCoupon(db, { ...claim, claimant: caller });
  const coupon = { couponCode: found?.coupon_code, assigned_at: found?.assigned_at };
  return { success: true, coupon, productUrl: found?.product_url, is_new: false };
}

const server = createServer((request, response) => {
  // Discards the request body, because an unread body would block the connection.
  request.resume();
  const caller = known.get(request.headers.authorization?.slice('Bearer '.length) ?? '') as Identity;
  answer(request.method, caller).then(
    (body) => {
      const text = JSON.stringify(body);
      response.writeHead(200, {
        'content-type': 'application/json; charset=utf-8',
        'content-length': Buffer.byteLength(text),
      });
      response.end(text);
    },
    (error: Error) => response.writeHead(500, { 'content-length': 0 }).end(error.message),
  );
});
server.listen(0, '127.0.0.1', () => console.log((server.address() as AddressInfo).port));
