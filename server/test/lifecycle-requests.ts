// A valid request for each call about access, the codes of an upload, the days of a product, a person, the log or the
// team. Fuzz tests change one field of such a request.
import { randomUUID } from 'node:crypto';
import type { Database } from '../src/db/database.ts';
import { redeemCoupon } from '../src/features/redeem/redeem.ts';
import { setRole } from '../src/features/team/team.ts';
import { addLearner, addProduct, utcToday } from './factories.ts';
import { addCohort, toolsOn } from './lifecycle.ts';

export type Request = { parts: [string, string]; query: unknown; body: unknown };

/** Adds a product with three codes, of which a learner holds one. Returns the ids of the rows. */
async function addRows(db: Database) {
  const product = await addProduct(db, { codes: 3 });
  const { product_id } = product;
  const learner = await addLearner(db, [product]);
  await redeemCoupon(db, { caller: learner, productId: product_id }, toolsOn(utcToday()));
  const { rows } = await db.query<Record<'person' | 'grant' | 'batch' | 'held' | 'free', string>>(
    `select (select user_id from app_user where email = $2) as person,
            (select id from access_grant where product_id = $1) as grant,
            (select id from coupon_batch where product_id = $1) as batch,
            (select id from coupon where product_id = $1 and holder is not null) as held,
            (select min(id) from coupon where product_id = $1 and holder is null) as free`,
    [product_id, learner.email],
  );
  const ids = rows[0] as (typeof rows)[0];
  const [cohort, other] = [await addCohort(db, [learner]), await addCohort(db, [])];
  return { ...ids, product, email: learner.email, member: await addMember(db), cohort, other };
}

/** Adds a member of the team and returns the `user_id`. */
async function addMember(db: Database): Promise<string> {
  const email = `member-${randomUUID()}@example.org`;
  await setRole(db, { actor: 'operator', email, team_role: 'support' }, { adminEmails: [] });
  const { rows } = await db.query<{ user_id: string }>('select user_id from app_user where email = $1', [
    email,
  ]);
  return rows[0]?.user_id ?? '';
}

type Rows = Awaited<ReturnType<typeof addRows>>;

/** `id` and `second` fill the parameters of the path. */
type Sent = { id?: string; second?: string; query?: object; body?: unknown };
const days = { starts_on: '2026-01-01', ends_on: null };
const reason = 'Left the course';
const REQUESTS: Record<string, (rows: Rows) => Sent> = {
  'GET /api/admin/batches': ({ product }) => ({ query: { product_id: product.product_id, limit: '5' } }),
  'GET /api/admin/batches/:id': ({ batch }) => ({ id: batch }),
  'POST /api/admin/batches/:id/void': ({ batch }) => ({
    id: batch,
    body: { reason: 'mistake', note: null, expected: 2 },
  }),
  'POST /api/admin/batches/:id/use-by': ({ batch }) => ({
    id: batch,
    body: { use_by: '2999-12-31', expected: 2 },
  }),
  'POST /api/admin/coupons/:id/revoke': ({ held }) => ({ id: held, body: { reason, replace: true } }),
  'POST /api/admin/coupons/:id/reveal': ({ held }) => ({ id: held }),
  'POST /api/admin/coupons/:id/void': ({ free }) => ({ id: free, body: { reason: 'dead', note: null } }),
  'POST /api/admin/grants': ({ cohort, product: { product_id } }) => ({
    body: { cohort_id: cohort, product_ids: [product_id], starts_on: '2026-01-01', ends_on: '2999-12-31' },
  }),
  'POST /api/admin/grants/:id/edit': ({ grant }) => ({
    id: grant,
    body: { ...days, ends_on: '2999-12-31', reason },
  }),
  'POST /api/admin/grants/:id/withdraw': ({ grant }) => ({
    id: grant,
    body: { reason, revoke_code: true, expected: 1 },
  }),
  'GET /api/admin/cohorts/:id': ({ cohort }) => ({ id: cohort }),
  'POST /api/admin/cohorts': ({ cohort, product: { product_id } }) => ({
    body: { name: cohort, note: 'Evening', product_ids: [product_id], ...days },
  }),
  'POST /api/admin/cohorts/:id/edit': ({ cohort }) => ({
    id: cohort,
    body: { name: cohort, note: null, archived: true, version: 1, expected: 1 },
  }),
  'POST /api/admin/cohorts/:id/dates': ({ cohort }) => ({ id: cohort, body: { ...days, expected: 1 } }),
  'POST /api/admin/cohorts/:id/members': ({ cohort, email }) => ({
    id: cohort,
    body: { emails: [email, `${cohort}@example.org`] },
  }),
  'POST /api/admin/cohorts/:id/members/remove': ({ cohort, email }) => ({
    id: cohort,
    body: { emails: [email], expected: 1 },
  }),
  'POST /api/admin/cohorts/:id/members/move': ({ cohort, other, email }) => ({
    id: cohort,
    body: { emails: [email], to: other, expected: 1 },
  }),
  'GET /api/admin/products/:id': ({ product }) => ({ id: product.product_id }),
  'POST /api/admin/products/:id/edit': ({ product: { name, description, url, product_id, ...texts } }) => ({
    id: product_id,
    body: {
      ...{ name: `${name} 2`, description, url, version: 1 },
      ...{ page_title: texts.page_title, header_text: null, instructions: null, shared_coupon: false },
      ...{ opens_on: '2026-01-01', closes_on: '2999-12-30', use_by_default: '2999-12-31' },
    },
  }),
  'POST /api/admin/products/:id/status': ({ product }) => ({
    id: product.product_id,
    body: { status: 'paused', note: 'Partner moves' },
  }),
  'POST /api/admin/users/act': ({ cohort, other }) => ({
    body: { filter: { cohort_id: cohort, q: 'learner' }, act: 'join', cohort_id: other, expected: 3 },
  }),
  'GET /api/admin/user-access/:email': ({ email }) => ({ id: email }),
  'GET /api/admin/user-access/:email/why/:product_id': ({ email, product }) => ({
    id: email,
    second: product.product_id,
  }),
  'GET /api/admin/view-as/:user_id': ({ person }) => ({ id: person }),
  'GET /api/admin/people/:user_id': ({ person }) => ({ id: person }),
  'POST /api/admin/people/:user_id/edit': ({ person }) => ({
    id: person,
    body: { email: `${person}@example.org`, name: 'Lea Lerner', phone_number: '+31 6 1234' },
  }),
  'POST /api/admin/people/:user_id/sign-in-mail': ({ person }) => ({ id: person }),
  'POST /api/admin/people/:user_id/code-mail': ({ person, product }) => ({
    id: person,
    body: { product_id: product.product_id },
  }),
  'POST /api/admin/people/:user_id/mail-retry': ({ person }) => ({ id: person }),
  'GET /api/admin/coupons/:id': ({ held }) => ({ id: held }),
  'POST /api/admin/notes': ({ held }) => ({ body: { coupon_id: held, text: 'Asked twice' } }),
  'GET /api/admin/find': ({ email }) => ({ query: { q: email } }),
  'GET /api/admin/audit': ({ email }) => ({
    query: { email, kind: 'coupon,grant', from: '2020-01-01', to: '2999-12-31', limit: '5' },
  }),
  'POST /api/admin/team': ({ email }) => ({ body: { email, name: 'Ravi', team_role: 'viewer', mail: true } }),
  'POST /api/admin/team/:user_id/role': ({ member }) => ({ id: member, body: { team_role: 'manager' } }),
  'POST /api/admin/team/:user_id/remove': ({ member }) => ({ id: member, body: { sign_out: true } }),
  'POST /api/admin/team/:user_id/sign-out': ({ member }) => ({ id: member }),
};

/** Names of the calls, as 'METHOD /path'. */
export const LIFECYCLE_CALLS = Object.keys(REQUESTS);

/**
 * Adds the rows that a call needs. Returns a valid request for the call, and the ids of the rows. Returns null if the
 * call is not one of LIFECYCLE_CALLS.
 */
export async function prepareRequest(
  db: Database,
  call: string,
): Promise<{ request: Request; ids: string[] } | null> {
  const write = REQUESTS[call];
  if (write === undefined) return null;
  const rows = await addRows(db);
  const { id = randomUUID(), second = '', query = {}, body = {} } = write(rows);
  const { person, grant, batch, held, free, cohort, other, member, product } = rows;
  return {
    request: { parts: [id, second], query, body },
    ids: [person, grant, batch, held, free, cohort, other, member, product.product_id],
  };
}
