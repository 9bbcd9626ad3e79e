// Tests that the document about a person has all that the tables hold about the person, and nothing about others.
import { PERSON_DATA_PARTS } from '@portal/contract';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openTestApp, type TestApp } from '../../../test/open-test-app.ts';
import { buildWorld, MIRA, OTHER, TEXTS, type World } from '../../../test/privacy-world.ts';
import type { Member } from '../team/callers.sql.ts';
import { exportPerson } from './person-data.ts';

let portal: TestApp;
let world: World;
beforeAll(async () => {
  portal = await openTestApp();
  world = await buildWorld(portal);
});
afterAll(() => portal.close());

type Document = Record<string, Record<string, unknown>[]>;
const download = (named: string, token = world.owner) =>
  portal.call('GET', `/api/admin/people/${named}/data.json`, { token });

/** The part of the document that has the rows of a table about a person, or why there is none. */
const TABLES: Record<string, string> = {
  access_grant: 'grants',
  access_grant_source: 'grants',
  app_user: 'person',
  audit: 'log',
  auth_identity: 'identities',
  auth_mail_window: 'account',
  auth_session: 'sessions',
  auth_user: 'account',
  auth_wrong_code: 'account',
  bulk_job: 'uploads',
  cohort: 'cohorts',
  cohort_member: 'cohorts',
  cohort_member_source: 'cohorts',
  coupon: 'codes',
  identity_person: 'identities',
  import_error: 'uploads',
  import_row: 'uploads',
  import_source: 'uploads',
  job: 'emails',
  left_team: 'person',
  product: 'codes',
  ready_notice: 'emails',
  auth_earlier_token: '- hashes that let somebody sign in',
  auth_one_time_token: '- hashes that let somebody sign in',
  auth_flow_state: '- hashes that let somebody sign in',
  auth_mail: '- nothing adds rows',
  auth_rate: '- a count that ends after an hour',
  auth_signing_key: '- not about people',
  claim_day: '- not about people',
  code_reveal: '- a count of the last ten minutes; the log has the acts',
  coupon_batch: '- not about people; the log has who added the codes',
  coupon_expiry: '- not about people',
  coupon_source: '- not about people',
  erasure: '- about people who are erased',
  generated_code: '- not about people',
  mail_pace: '- not about people',
  person_sign_in: '- the same time as in the account',
  product_logo: '- not about people',
  product_source: '- not about people',
  schema_migration: '- not about people',
  sent_form: '- hashes of forms',
  stock_forecast: '- not about people',
  stock_notice: '- not about people',
  tally: '- counters',
  tally_change: '- counters',
};

test('R-PRIV-01: each table has a part of the document, or a reason', async () => {
  const { rows } = await portal.db.query<{ name: string }>(
    `select table_name::text as name from information_schema.tables
     where table_schema = current_schema() and table_type = 'BASE TABLE'`,
  );
  expect(rows.map(({ name }) => name).sort()).toEqual(Object.keys(TABLES).sort());
  const parts = Object.values(TABLES).filter((part) => !part.startsWith('-'));
  expect(parts.filter((part) => !PERSON_DATA_PARTS.some((known) => known === part))).toEqual([]);
});

test('R-PRIV-01: the document has each part, with every text about the person, full codes and no other address', async () => {
  const { status, body, headers } = await download(world.user_id);
  expect(status).toBe(200);
  expect(headers).toMatchObject({
    'content-disposition': 'attachment; filename="person.json"',
    'cache-control': 'no-store',
  });
  const document = body as Document;
  expect(Object.keys(document)).toEqual([...PERSON_DATA_PARTS]);
  const empty = PERSON_DATA_PARTS.filter((part) => document[part]?.length === 0);
  expect(empty).toEqual(['waiting', 'reports', 'purchases']);
  const text = JSON.stringify(document);
  for (const part of TEXTS) expect(text, part).toContain(part);
  expect(document.codes).toMatchObject([{ coupon_code: 'A-1' }, { coupon_code: 'A-2' }]);
  expect(document.person).toMatchObject([{ user_id: world.user_id, email: MIRA, payment_id: 'PAY-MIRA' }]);
  expect(document.notes?.map(({ text: note }) => note)).toContain(`Mira Lindqvist (${MIRA}) called`);
  for (const address of [OTHER, 'owner@example.org', 'pupil@example.org', 'helper@example.org'])
    expect(text).not.toContain(address);
  expect(document.log?.some(({ is_own, action }) => is_own === false && action === 'product.create')).toBe(
    true,
  );
});

test('R-PRIV-01: the document is in the log, and only for managers', async () => {
  await download(MIRA);
  const { rows } = await portal.db.query("select actor, user_id from audit where action = 'person.export'");
  expect(rows).toContainEqual({ actor: 'owner@example.org', user_id: world.id });
  const support = await portal.signInAdmin('support@example.org', 'support');
  expect((await download(MIRA, support)).status).toBe(403);
  expect(await download('nobody@example.org')).toMatchObject({
    status: 404,
    body: { code: 'user_not_found' },
  });
});

test('R-PRIV-01, R-TEAM-22: the document breaks off when its reader loses the role', async () => {
  await portal.signInAdmin('manager@example.org', 'manager');
  const { rows } = await portal.db.query<Member>(
    `select id as user_id, email, name, user_role, team_role, '' as auth_id, null as session_id
     from app_user where email = 'manager@example.org'`,
  );
  const pieces = await exportPerson(portal.db, { named: MIRA, actor: rows[0] as Member });
  await pieces.next();
  await portal.db.query("update app_user set team_role = 'support' where email = 'manager@example.org'");
  const readRest = async () => {
    for await (const piece of pieces) expect(piece).not.toContain(MIRA);
  };
  await expect(readRest()).rejects.toMatchObject({ code: 'role_too_low' });
});
