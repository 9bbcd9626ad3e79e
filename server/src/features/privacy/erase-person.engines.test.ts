// Tests that nothing about an erased person remains in any table, and that all else stays as it was.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openTestApp, type TestApp } from '../../../test/open-test-app.ts';
import {
  buildWorld,
  MIRA,
  OTHER,
  readRest,
  TEXTS,
  TEXTS_OF_OTHER,
  type World,
} from '../../../test/privacy-world.ts';
import { findTexts, listTextColumns } from '../../../test/scan-database.ts';

let portal: TestApp;
let world: World;
beforeAll(async () => {
  portal = await openTestApp();
  world = await buildWorld(portal);
});
afterAll(() => portal.close());

const call = (url: string, body?: object, token = world.owner) =>
  portal.call(body === undefined ? 'GET' : 'POST', url, { token, ...(body && { body }) });
const erase = (body: object, of = world.user_id, token = world.owner) =>
  call(`/api/admin/people/${of}/erase`, body, token);
const scan = () => findTexts(portal.db, TEXTS, TEXTS_OF_OTHER);
const REASON = 'asked by mail';

/** The columns that hold texts about a person. The world of these tests fills each of them. */
const ABOUT_PEOPLE = `
  access_grant.granted_by access_grant.withdraw_reason access_grant.withdrawn_by access_grant_source.given_by
  app_user.email app_user.invited_by app_user.mail_refused_reason app_user.name app_user.payment_id app_user.phone_number
  audit.actor audit.actor_name audit.detail auth_identity.identity_data auth_mail.email auth_mail_window.email
  auth_earlier_token.email auth_one_time_token.email auth_rate.key auth_user.email auth_user.user_metadata auth_wrong_code.email
  bulk_job.created_by bulk_job.detail bulk_job.file_name bulk_job.reason bulk_job.source cohort.created_by cohort.note
  cohort_member.joined_by cohort_member_source.given_by coupon.assigned_by coupon.revoke_reason coupon.revoked_by
  coupon.voided_by coupon_batch.created_by coupon_batch.file_name import_error.cells import_row.cells import_source.text
  job.data job.key job.reason left_team.email product.archived_by product.changed_by product.pause_note
  product.paused_by ready_notice.words`;

/** The columns that hold no texts about people: texts of products, codes, states, hashes and keys. */
const NOT_ABOUT_PEOPLE = `
  app_user.team_role app_user.user_role audit.action audit.summary_of auth_earlier_token.code_challenge
  auth_earlier_token.code_challenge_method auth_earlier_token.code_hash
  auth_earlier_token.link_hash auth_flow_state.auth_code_hash auth_flow_state.code_challenge
  auth_flow_state.code_challenge_method auth_flow_state.provider auth_flow_state.redirect_to auth_flow_state.state_hash
  auth_identity.issuer auth_identity.provider auth_identity.provider_id auth_mail.code_challenge
  auth_mail.code_challenge_method auth_mail.language auth_mail.redirect_to auth_one_time_token.code_challenge
  auth_one_time_token.code_challenge_method auth_one_time_token.code_hash auth_one_time_token.link_hash auth_session.amr
  auth_signing_key.kid auth_signing_key.private_key auth_signing_key.public_jwk bulk_job.kind bulk_job.state cohort.name
  coupon.coupon_code coupon.void_reason coupon_batch.source identity_person.issuer identity_person.provider
  identity_person.provider_id import_error.message import_row.kind import_row.message job.kind job.lane job.state
  mail_pace.delayed product.category product.description product.header_text product.instructions product.name
  product.page_title product.perks product.terms product.url product.value product_logo.bytes product_logo.media_type
  product_logo.sha256 ready_notice.language ready_notice.state schema_migration.name sent_form.digest stock_notice.level
  tally.what tally_change.what`;

const listOf = (names: string) => names.trim().split(/\s+/).sort();

test('R-PRIV-04: each column that can hold a text is known, and the person stands in each that is about people', async () => {
  const columns = (await listTextColumns(portal.db)).map(({ table, column }) => `${table}.${column}`);
  expect(columns.sort()).toEqual([...listOf(ABOUT_PEOPLE), ...listOf(NOT_ABOUT_PEOPLE)].sort());
  expect((await scan()).sort()).toEqual(listOf(ABOUT_PEOPLE));
});

test('R-PRIV-02: an erasure is refused without the address, with a text about the person, and for lower roles', async () => {
  const wrong = { status: 400, body: { code: 'invalid_request' } };
  expect(await erase({ email: OTHER, reason: REASON })).toMatchObject(wrong);
  expect(await erase({ email: MIRA, reason: `${MIRA} asked` })).toMatchObject(wrong);
  expect(await erase({ email: MIRA, reason: 'mira lindqvist asked' })).toMatchObject(wrong);
  expect(await erase({ email: MIRA, reason: 'x' })).toMatchObject(wrong);
  expect(await erase({ email: MIRA, reason: 'A-1 was sent' })).toMatchObject(wrong);
  const manager = await portal.signInAdmin('manager@example.org', 'manager');
  expect(await erase({ email: MIRA, reason: REASON }, world.user_id, manager)).toMatchObject({ status: 403 });
  const nobody = '00000000-0000-4000-8000-000000000000';
  expect(await erase({ email: MIRA, reason: REASON }, nobody)).toMatchObject({
    status: 404,
    body: { code: 'user_not_found' },
  });
  expect(await scan()).toContain('app_user.email');
});

test('R-PRIV-03, R-PRIV-04: an erasure removes all texts about the person, and keeps codes, counters and other people', async () => {
  const stats = (await call('/api/admin/stats')).body as { users: number; coupons: unknown };
  const mine = await portal.signIn(MIRA);
  const before = await readRest(portal.db, world.id);
  expect(await erase({ email: ` ${MIRA.toUpperCase()}`, reason: REASON })).toMatchObject({
    status: 200,
    body: { codes_kept: 2 },
  });
  expect(await scan()).toEqual([]);
  expect(await readRest(portal.db, world.id)).toEqual(before);
  const after = (await call('/api/admin/stats')).body as typeof stats;
  expect(after).toMatchObject({ coupons: stats.coupons, users: stats.users - 1 });
  expect((await call('/api/my/products', undefined, mine)).status).toBe(401);
  expect(await erase({ email: MIRA, reason: REASON })).toMatchObject({ status: 404 });
});

test('R-PRIV-04: the log has one line about the erasure: who and when, without the person', async () => {
  const { rows } = await portal.db.query(
    "select actor, user_id, detail, at is not null as has_time from audit where action = 'person.erase'",
  );
  expect(rows).toEqual([
    { actor: 'owner@example.org', user_id: null, detail: { reason: REASON, codes_kept: 2 }, has_time: true },
  ]);
  expect((await portal.db.query('select user_id from erasure')).rows).toEqual([{ user_id: world.user_id }]);
});

test('R-PRIV-03: an erased person is in no list, and has no access; the record says when it was erased', async () => {
  const stands = `erased-${world.user_id}@erased.invalid`;
  const lists = ['', '?q=erased', `?q=${stands}`, '?sort=email&limit=100', '?sort=name&limit=100'];
  for (const query of [...lists, '?sort=last_sign_in&limit=100', '?sort=-created&limit=100', '?role=user'])
    expect(JSON.stringify((await call(`/api/users${query}`)).body), query).not.toContain(stands);
  expect((await call('/api/admin/find?q=erased')).body).toMatchObject({ people: [] });
  const record = (await call(`/api/admin/people/${world.user_id}`)).body;
  expect(record).toMatchObject({
    user: { email: stands, name: null, phone_number: null, team_role: null },
    cohorts: [],
    coupons: [{ state: 'held' }, { state: 'revoked' }],
    erased_at: expect.any(String),
  });
  const grants = (record as { grants: { state: string }[] }).grants;
  expect(grants.filter(({ state }) => state !== 'withdrawn')).toEqual([]);
  const unknown = { status: 404, body: { code: 'user_not_found' } };
  const given = { email: stands, product_ids: [world.product_id] };
  expect(await call('/api/admin/grants', given)).toMatchObject(unknown);
  expect(await call('/api/admin/users/single', { ...given, name: 'X' })).toMatchObject({ status: 400 });
  expect(await call('/api/admin/team', { email: stands, team_role: 'owner' })).toMatchObject({ status: 400 });
  const held = (record as { coupons: { id: string; state: string }[] }).coupons.find(
    ({ state }) => state === 'held',
  );
  const revocation = { reason: 'Does not work', replace: true };
  expect(await call(`/api/admin/coupons/${held?.id}/revoke`, revocation)).toMatchObject(unknown);
});

test('R-PRIV-05: whoever signs in with the address afterwards is a new, unknown person', async () => {
  const token = await portal.signIn(MIRA);
  expect(await call('/api/my/products', undefined, token)).toMatchObject({ status: 200, body: [] });
  const body = { email: MIRA, name: 'Mira Again', product_ids: [world.product_id] };
  const saved = (await call('/api/admin/users/single', body)).body as { user: { user_id: string } };
  expect(saved.user.user_id).not.toBe(world.user_id);
  const { body: record } = await call(`/api/admin/people/${saved.user.user_id}`);
  expect(record).toMatchObject({ coupons: [], cohorts: [], user: { name: 'Mira Again', team_role: null } });
});
