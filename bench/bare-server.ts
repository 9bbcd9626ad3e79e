// Runs a baseline for the portal's calls: a plain Fastify server that responds with one short SQL statement per call.
// The server does not verify tokens, sessions or responses.
// Reads {databaseUrl, productId, identities: [[token, identity]…]} as JSON from stdin and prints its port.
import { json } from 'node:stream/consumers';
import { myProduct } from '@portal/contract';
import fastify, { type FastifyRequest } from 'fastify';
import pg from 'pg';
import type { Identity } from '../server/src/features/team/callers.sql.ts';

const { databaseUrl, productId, identities } = (await json(process.stdin)) as {
  databaseUrl: string;
  productId: string;
  identities: [string, Identity][];
};
const pool = new pg.Pool({ connectionString: databaseUrl, max: 16 });
const known = new Map(identities.map(([token, { email }]) => [token, email]));
const emailOf = ({ headers }: FastifyRequest) =>
  known.get(headers.authorization?.slice('Bearer '.length) ?? '');

// The fields that the statement computes. All others are columns of the table product.
const COMPUTED = new Set(['assigned_at', 'sold_out', 'state', 'from', 'use_by']);
const COLUMNS = Object.keys(myProduct.shape)
  .filter((field) => !COMPUTED.has(field))
  .map((field) => `p.${field}`)
  .join(', ');
const MY_PRODUCTS = `
  select *, case when assigned_at is not null then 'issued' when sold_out then 'sold_out' else 'ready' end as state,
         null as "from", null as use_by
  from (
    select ${COLUMNS},
           to_char(mine.assigned_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as assigned_at,
           mine.assigned_at is null and (select c.pos from coupon c where c.product_id = p.product_id and c.holder is null
                                         and c.voided_at is null order by c.use_by, c.pos limit 1) is null as sold_out
    from app_user u
    join product p on p.archived_at is null and exists (
      select 1 from access_grant a where a.user_id = u.id and (a.product_id = p.product_id or a.product_id is null))
    left join coupon mine on mine.product_id = p.product_id and mine.holder = u.id and mine.is_current
    where u.email = $1) listed
  order by name, product_id`;
const MY_CODE = `
  select c.coupon_code, to_char(c.assigned_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as assigned_at, p.url,
         nullif(c.use_by, 'infinity')::text as use_by
  from app_user u join coupon c on c.holder = u.id and c.product_id = $2 and c.is_current
  join product p on p.product_id = c.product_id
  where u.email = $1`;

const app = fastify();
app.get('/api/my/products', async (request) => {
  const { rows } = await pool.query({ name: 'my-products', text: MY_PRODUCTS, values: [emailOf(request)] });
  return rows;
});
app.post('/api/redeem-secure', async (request) => {
  const values = [emailOf(request), productId];
  const { rows } = await pool.query({ name: 'my-code', text: MY_CODE, values });
  const [{ coupon_code: couponCode, assigned_at, url: productUrl, use_by }] = rows as [
    Record<string, string>,
  ];
  const coupon = { couponCode, assigned_at };
  return { success: true, coupon, productUrl, is_new: false, use_by, replaced_on: null };
});
console.log(new URL(await app.listen({ port: 0, host: '127.0.0.1' })).port);
