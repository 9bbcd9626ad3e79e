// Builds a portal in which one person, Mira, did everything that a person can do, and was a member of the team for a
// while. Tests erase Mira, or read all data about her.
import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import type { Db } from '../src/db/database.ts';
import { createAuditLine } from '../src/features/log/audit.sql.ts';
import type { TestApp } from './open-test-app.ts';
import { createStaffCalls } from './staff-calls.ts';

export const MIRA = 'mira.lindqvist@example.org';
const FORMER = 'mira.former@example.org';
/** Texts about Mira that no row may contain after the erasure. */
export const TEXTS = [
  MIRA,
  FORMER,
  'Mira Lindqvist',
  'Mira Formerly',
  '+46 70 123 45 67',
  '+46 70 765 43 21',
  'PAY-MIRA',
  'Mira \\"Mo\\" Öst',
];
/** Another person, whose address and name contain those of Mira. */
export const OTHER = 'amira.lindqvist@example.org';
export const TEXTS_OF_OTHER = [OTHER, 'Amira Lindqvist'];

/** Fields of replies that the world reads. */
type Body = { cohort_id: string; product_id: string; grants: { id: string }[] };

export type World = { owner: string; user_id: string; id: string; product_id: string };

/** Builds the world. Returns an owner's access token, and the ids of Mira and of a product. */
export async function buildWorld(portal: TestApp): Promise<World> {
  const owner = await portal.signInAdmin('owner@example.org');
  const staff = createStaffCalls(portal, owner);
  const send = async (url: string, body: unknown, token = owner, status = [200, 201]) => {
    const answer = await staff.post(url, body, token);
    expect(status, `${url} ${JSON.stringify(answer.body)}`).toContain(answer.status);
    return answer.body as Body;
  };
  const product_id = await staff.addProduct({ name: 'Tarnquill' });
  await send('/api/admin/coupons/bulk', {
    csvData: 'coupon_code\nA-1\nA-2\nA-3\nA-4\nA-5\nA-6\n',
    productId: product_id,
  });
  await send('/api/admin/users/single', { email: OTHER, name: 'Amira Lindqvist', product_ids: [product_id] });
  await send('/api/admin/users/bulk', {
    csvData: `email,name,phone_number,payment_id\n${FORMER},Mira Formerly,+46 70 765 43 21,PAY-MIRA\n`,
    product_ids: [product_id],
    file_name: 'first.csv',
  });
  const { id, user_id } = await findPerson(portal, FORMER);
  await portal.signIn(FORMER);
  await send(`/api/admin/people/${user_id}/edit`, {
    email: MIRA,
    name: 'Mira Lindqvist',
    phone_number: '+46 70 123 45 67',
  });
  // In JSON, the quotes of a name are escaped.
  const quoted = { email: MIRA, name: 'Mira "Mo" Öst', phone_number: '+46 70 123 45 67' };
  await send(`/api/admin/people/${user_id}/edit`, quoted);
  await send(`/api/admin/people/${user_id}/edit`, { ...quoted, name: 'Mira Lindqvist' });
  const cohort = await send('/api/admin/cohorts', { name: 'Autumn', note: 'Mira Lindqvist asked for it' });
  await send(`/api/admin/cohorts/${cohort.cohort_id}/members`, { emails: [MIRA] });
  await learn(portal, { send, user_id, product_id });
  await upload(portal, { send, product_id });
  await join(portal, { send, user_id, product_id });
  await leaveTraces(portal, id);
  return { owner, user_id, id, product_id };
}

async function findPerson({ db }: TestApp, email: string): Promise<{ id: string; user_id: string }> {
  const statement = 'select id, user_id from app_user where email = $1';
  const { rows } = await db.query<{ id: string; user_id: string }>(statement, [email]);
  return rows[0] as { id: string; user_id: string };
}

type Tools = {
  send: (url: string, body: unknown, token?: string, status?: number[]) => Promise<Body>;
  product_id: string;
};

// What a learner does, and what staff write about a learner.
async function learn(
  portal: TestApp,
  { send, user_id, product_id }: Tools & { user_id: string },
): Promise<void> {
  const token = await portal.signIn(MIRA);
  await portal.app.inject({
    method: 'PUT',
    url: '/auth/v1/user',
    headers: { host: 'localhost:3000', authorization: `Bearer ${token}` },
    payload: { data: { full_name: 'Mira Lindqvist' } },
  });
  await send('/api/redeem-secure', { productId: product_id }, token);
  await send('/auth/v1/verify', { type: 'email', email: MIRA, token: '000000' }, undefined, [403]);
  await portal.call('POST', '/auth/v1/otp', { body: { email: MIRA } });
  await send('/auth/v1/verify', { type: 'email', email: MIRA, token: '000000' }, undefined, [403]);
  const { rows } = await portal.db.query<{ id: string }>(
    'select c.id from coupon c where holder is not null',
  );
  await send('/api/admin/notes', { user_id, text: `Mira Lindqvist (${MIRA}) called` });
  await send('/api/admin/notes', { coupon_id: rows[0]?.id, text: 'Mira Lindqvist could not use it' });
  const reason = `Mira Lindqvist, ${MIRA}, lost it`;
  await send(`/api/admin/coupons/${rows[0]?.id}/revoke`, { reason, replace: true });
  const { grants } = await send('/api/admin/grants', { email: MIRA, product_ids: 'all' });
  await send(`/api/admin/grants/${grants[0]?.id}/withdraw`, { reason });
  await send('/api/admin/grants', { email: MIRA, product_ids: 'all', starts_on: '2998-01-01' });
  await send('/api/admin/users/single', {
    email: MIRA,
    name: null,
    product_ids: [await addProduct(send)],
    tell: true,
  });
  await send('/api/admin/users/act', {
    emails: [MIRA],
    act: 'grant',
    product_ids: [await addProduct(send)],
    expected: 1,
    tell: true,
  });
  await send(`/api/admin/people/${user_id}/code-mail`, { product_id });
  const all = createStaffCalls(portal, '').get;
  expect(
    (
      await all(
        `/api/admin/export/users.csv?q=${encodeURIComponent(MIRA)}`,
        await portal.signIn('owner@example.org'),
      )
    ).status,
  ).toBe(200);
}

const addProduct = async (send: Tools['send']): Promise<string> =>
  (
    await send('/api/products', {
      name: `Product ${randomUUID()}`,
      description: 'For work.',
      url: 'p.example',
    })
  ).product_id;

// Uploads that name Mira: as a duplicate, in a wrong row, in a file that waits, in a file that failed, in pieces.
async function upload(portal: TestApp, { send, product_id }: Tools): Promise<void> {
  const line = `${MIRA},Mira Lindqvist,+46 70 123 45 67,PAY-MIRA`;
  const wrong = `${MIRA},Mira Lindqvist,${'+46 70 123 45 67 '.repeat(20)},`;
  const csvData = `email,name,phone_number,payment_id\n${line}\n${wrong}\n${OTHER},Amira Lindqvist,,\n`;
  const file = { csvData, product_ids: [product_id] };
  await send('/api/admin/users/bulk', { ...file, file_name: `for ${MIRA}.csv` });
  await send('/api/admin/users/bulk', { ...file, file_name: 'waits.csv', check: true });
  await portal.db.query(
    `insert into bulk_job (id, kind, created_by, state, source, rows_total, reason)
     values (gen_random_uuid(), 'users', 'owner@example.org', 'failed', $1, 3, $2)`,
    [csvData, `The row of ${MIRA} failed`],
  );
  const [begin, end] = [csvData.slice(0, 50), csvData.slice(50)];
  await portal.db.query(
    `with source as (select gen_random_uuid() as id), pieces as (
       insert into import_source (source_id, piece, text, is_last)
       select id, n, case n when 0 then $1 else $2 end, n = 1 from source, generate_series(0, 1) n
     )
     insert into bulk_job (id, kind, created_by, state, source, rows_total, source_id)
     select gen_random_uuid(), 'users', 'owner@example.org', 'checked', '', 3, id from source`,
    [begin, end],
  );
}

// What a member of the team does.
async function join(
  portal: TestApp,
  { send, user_id, product_id }: Tools & { user_id: string },
): Promise<void> {
  await send('/api/admin/team', { email: MIRA, team_role: 'owner' });
  const token = await portal.signIn(MIRA);
  const act = (url: string, body: unknown) => send(url, body, token);
  const own = await act('/api/products', { name: 'Own', description: 'Made by Mira.', url: 'own.example' });
  const path = `/api/admin/products/${own.product_id}`;
  await act(`${path}/edit`, {
    name: 'Own product',
    description: 'For work.',
    url: 'own.example',
    version: 1,
  });
  await act('/api/admin/coupons/bulk', {
    csvData: 'coupon_code\nM-1\nM-2\nM-3\n',
    productId: own.product_id,
    file_name: 'codes of Mira Lindqvist.csv',
  });
  const cohort = await act('/api/admin/cohorts', { name: 'Winter', note: null });
  await act('/api/admin/users/single', {
    email: 'pupil@example.org',
    name: 'Pupil',
    product_ids: [own.product_id],
    cohort_ids: [cohort.cohort_id],
  });
  const { grants } = await act('/api/admin/grants', {
    cohort_id: cohort.cohort_id,
    product_ids: [product_id],
  });
  await act('/api/admin/users/bulk', {
    csvData: 'email,name\npupil@example.org,Pupil\n',
    product_ids: [own.product_id],
    cohort_id: cohort.cohort_id,
  });
  await send('/api/admin/users/bulk', {
    csvData: 'email,name\nguest@example.org,Guest\n',
    product_ids: [own.product_id],
  });
  await act('/api/admin/grants', { email: 'guest@example.org', product_ids: [own.product_id] });
  const issued = await act('/api/admin/generate-coupon', {
    email: 'pupil@example.org',
    productId: own.product_id,
  });
  expect(issued).toMatchObject({ success: true });
  const { rows } = await portal.db.query<{ id: string; coupon_code: string }>(
    "select id, coupon_code from coupon where coupon_code like 'M-%' order by id",
  );
  await act(`/api/admin/coupons/${rows[0]?.id}/revoke`, { reason: 'Does not work', replace: true });
  await act(`/api/admin/coupons/${rows[2]?.id}/void`, { reason: 'mistake', note: 'typed twice' });
  await act(`/api/admin/grants/${grants[0]?.id}/withdraw`, {
    reason: 'over',
    expected: 1,
  });
  await act(`/api/admin/team`, { email: 'helper@example.org', name: 'Helper', team_role: 'support' });
  await act('/api/admin/team', { email: 'pupil@example.org', team_role: 'viewer' });
  const pupil = await findPerson(portal, 'pupil@example.org');
  await act('/api/admin/notes', { user_id: pupil.user_id, text: 'Spoke to Mira Lindqvist' });
  await act('/api/admin/me', { name: 'Mira Lindqvist' });
  await act('/api/admin/setup/hide', {});
  await act(`${path}/status`, { status: 'paused', note: 'Ask Mira Lindqvist' });
  const archived = await act('/api/products', { name: 'Old', description: 'Old.', url: 'old.example' });
  await act(`/api/admin/products/${archived.product_id}/status`, { status: 'archived' });
  await send(`/api/admin/team/${user_id}/remove`, { sign_out: false });
}

// Rows of rare events: a mail server's words, an account at Google, counts, and jobs that ended.
async function leaveTraces(portal: TestApp, id: string): Promise<void> {
  const { db } = portal;
  await db.query(
    `update app_user set mail_refused_at = now(), mail_refused_reason = '550 <' || email || '> unknown',
       payment_id = 'PAY-MIRA' where id = $1`,
    [id],
  );
  const words = `550 <${MIRA.toUpperCase()}> unknown`;
  const detail = { kind: 'code', id: '1', words, attempts: 1 };
  await createAuditLine(db, { actor: 'portal', action: 'mail.fail', user_id: id, detail });
  await db.query(
    `insert into auth_identity (user_id, provider, provider_id, identity_data, last_sign_in_at, created_at, updated_at, issuer)
     select id, 'google', '1', jsonb_build_object('email', email, 'name', 'Mira Lindqvist'), now(), now(), now(), 'g'
     from auth_user where email = $1`,
    [MIRA],
  );
  await db.query(
    "insert into identity_person (provider, issuer, provider_id, person_id) values ('google', 'g', '1', $1)",
    [id],
  );
  await db.query(
    "insert into auth_rate (key, points, expire) values ('mail:' || $1::text, 1, 4102444800000)",
    [MIRA],
  );
  await db.query(
    `with token as (
       insert into auth_one_time_token (email, link_hash, code_hash, mailed, expires_at)
       values ($1, 'l', 'c', true, '2999-01-01') on conflict (email) do nothing)
     insert into auth_earlier_token (link_hash, email, code_hash, code_tries, expires_at)
     values ('e', $1, 'c', 0, '2999-01-01')`,
    [MIRA],
  );
  await db.query(
    'insert into auth_mail_window (email, mailed_at) values ($1, now()) on conflict do nothing',
    [MIRA],
  );
  await db.query(
    'insert into auth_wrong_code (email, since, wrong) values ($1, now(), 1) on conflict do nothing',
    [MIRA],
  );
  await db.query(
    `insert into auth_mail (email, create_user, redirect_to, due_at, give_up_at) values ($1, true, '', '2999-01-01', '2999-01-01')`,
    [MIRA],
  );
  await db.query(
    `insert into job (kind, key, lane, priority, data, state, due_at, created_at, ended_at, reason) values
       ('sign-in-mail', $1, 'mail', 0, '{}', 'cancelled', now(), now(), now(), null),
       ('code-mail', 'x', 'mail', 0, jsonb_build_object('about', $1::text), 'failed', now(), now(), now(), '550 ' || $1::text),
       ('team-mail', 'helper@example.org viewer', 'mail', 0,
         jsonb_build_object('about', 'helper@example.org', 'invited_by', $1::text, 'team_role', 'viewer'), 'waiting',
         '2999-01-01', now(), null, null)`,
    [MIRA],
  );
  await db.query("update ready_notice set words = '550 ' || $2::text where user_id = $1", [id, MIRA]);
}

/**
 * Returns what an erasure of the person `id` (app_user.id) must not change: codes and their states, other people with
 * their access, and the lines of the log without who and what.
 */
export async function readRest(db: Db, id: string): Promise<Record<string, unknown[]>> {
  const read = async (sql: string) => (await db.query(sql)).rows;
  return {
    codes: await read(
      `select id, product_id, batch_id, coupon_code, holder, assigned_at, assigned_by = 'learner' as is_redeemed, is_current,
         use_by, voided_at, void_reason, revoked_at from coupon order by id`,
    ),
    people: await read(
      `select id, email, name, phone_number, team_role from app_user where id <> ${id} order by id`,
    ),
    access: await read(
      `select id, user_id, cohort_id, product_id, starts_on, ends_on, withdrawn_at from access_grant
       where user_id is distinct from ${id} order by id`,
    ),
    members: await read(
      `select cohort_id, user_id, joined_at from cohort_member where user_id <> ${id} order by 1, 2`,
    ),
    sessions: await read(
      `select s.id from auth_session s join auth_user u on u.id = s.user_id where u.email <> '${MIRA}'
       and u.email <> 'manager@example.org' order by s.id`,
    ),
    uploads: await read(
      'select id, kind, state, rows_total, success, failures, duplicates from bulk_job order by id',
    ),
    rows: await read('select import_id, kind, "row", cardinality(cells) from import_row order by 1, 2, 3'),
    errors: await read('select import_id, "row", cardinality(cells) from import_error order by 1, 2'),
  };
}
