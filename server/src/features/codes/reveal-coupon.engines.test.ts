// Tests the call that shows one hidden code: who may see which code, the audit line, the limit, and the mail to owners.
import { randomUUID } from 'node:crypto';
import type { TeamRole } from '@portal/contract';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { addLearner, addProduct } from '../../../test/factories.ts';
import { REDEEM_TOOLS } from '../../../test/fill-database.ts';
import { openTestApp, type TestApp } from '../../../test/open-test-app.ts';
import { createTestJobs } from '../../../test/test-jobs.ts';
import { createJobHandlers } from '../../jobs/job-handlers.ts';
import { redeemCoupon } from '../redeem/redeem.ts';
import { setRole } from '../team/team.ts';

let portal: TestApp;
beforeAll(async () => {
  // Limits per IP address and per hour are off in tests. The limit of reveals does not depend on that setting (N-33).
  portal = await openTestApp({ rateLimits: false });
});
afterAll(() => portal.close());

let people = 0;
/** Signs in as a new member of the team. */
async function join(role: TeamRole) {
  people += 1;
  const email = `${role}-${people}@example.org`;
  const token = await portal.signInAdmin(email, role);
  return {
    email,
    token,
    reveal: (id: string) => portal.call('POST', `/api/admin/coupons/${id}/reveal`, { token }),
  };
}

/** Adds a product with four codes: one that a learner holds, a revoked, a free and a void one. */
async function addCodes() {
  const codes = {
    held: 'HELD-0001-AAAA',
    revoked: 'GONE-0002-BBBB',
    free: 'FREE-0003-CCCC',
    void: 'VOID-0004-DDDD',
  };
  const product = await addProduct(portal.db, { codes: Object.values(codes) });
  const { product_id } = product;
  const holders: string[] = [];
  for (const _turn of [1, 2]) {
    const caller = await addLearner(portal.db, [product]);
    await redeemCoupon(portal.db, { caller, productId: product_id }, REDEEM_TOOLS);
    holders.push(caller.user_id ?? '');
  }
  const set = (code: string, change: string) =>
    portal.db.query(`update coupon set ${change} where product_id = $1 and coupon_code = $2`, [
      product_id,
      code,
    ]);
  await set(codes.revoked, "revoked_at = now(), revoked_by = 'x', revoke_reason = 'Used up'");
  await set(codes.void, "voided_at = now(), voided_by = 'x', void_reason = 'dead'");
  const { rows } = await portal.db.query<{ id: string; coupon_code: string }>(
    'select id, coupon_code from coupon where product_id = $1',
    [product_id],
  );
  const idOf = (state: keyof typeof codes) =>
    rows.find(({ coupon_code }) => coupon_code === codes[state])?.id ?? '';
  return { product_id, codes, holders, idOf };
}

const listAudit = async (actor: string) =>
  (
    await portal.db.query<Record<string, unknown>>(
      `select action, user_id, product_id, coupon_id, detail from audit
       where actor = $1 and action not like 'session.%' order by id`,
      [actor],
    )
  ).rows;

/** Records that `email` was shown (or refused) `count` codes, some seconds ago. */
const addReveals = (email: string, count: number, secondsAgo: number, refused = false) =>
  portal.db.query(
    `insert into code_reveal (staff, at, refused)
     select id, now() - make_interval(secs => $3), $4 from app_user, generate_series(1, $2) where email = $1`,
    [email, count, secondsAgo, refused],
  );

const listNotices = async (actor: string) =>
  (
    await portal.db.query<{ about: string }>(
      "select data ->> 'about' as about from job where kind = 'notice-mail' and data ->> 'actor' = $1 order by id",
      [actor],
    )
  ).rows.map(({ about }) => about);

describe('R-IMP-42: a code is shown', () => {
  test('to support only if somebody holds it or held it until it was revoked; else 409 not_held', async () => {
    const { codes, idOf } = await addCodes();
    const support = await join('support');
    for (const state of ['held', 'revoked'] as const)
      expect(await support.reveal(idOf(state))).toMatchObject({
        status: 200,
        body: { coupon_code: codes[state] },
      });
    for (const state of ['free', 'void'] as const) {
      const { status, body } = await support.reveal(idOf(state));
      expect([status, body]).toEqual([409, { code: 'not_held', message: 'Nobody holds this code.' }]);
    }
  });

  test.each(['manager', 'owner'] as const)('to the role %s whatever its state', async (role) => {
    const { codes, idOf } = await addCodes();
    const member = await join(role);
    for (const state of ['held', 'revoked', 'free', 'void'] as const) {
      const { status, body, headers } = await member.reveal(idOf(state));
      expect([status, body]).toEqual([200, { coupon_code: codes[state] }]);
      expect(headers['cache-control']).toBe('no-store');
    }
  });

  test('and an unknown or malformed id is 404', async () => {
    const support = await join('support');
    for (const id of ['0', '-1', '999999999999', '9223372036854775808', 'x', randomUUID(), '1e3', '%20'])
      expect(await support.reveal(id), id).toMatchObject({ status: 404, body: { code: 'not_found' } });
    expect(await listAudit(support.email)).toEqual([]);
  });

  test('with one audit line, which has the hint and never the code; a refused call has none', async () => {
    const { product_id, holders, idOf } = await addCodes();
    const support = await join('support');
    await support.reveal(idOf('free'));
    await support.reveal(idOf('held'));
    expect(await listAudit(support.email)).toEqual([
      {
        action: 'coupon.reveal',
        user_id: holders[0],
        product_id,
        coupon_id: idOf('held'),
        detail: { hint: 'AAAA' },
      },
    ]);
    const manager = await join('manager');
    await manager.reveal(idOf('free'));
    expect(await listAudit(manager.email)).toMatchObject([{ user_id: null, coupon_id: idOf('free') }]);
    const { rows } = await portal.db.query(
      "select 1 from audit where detail::text ~ '(HELD|GONE|FREE|VOID)-0'",
    );
    expect(rows).toEqual([]);
  });
});

describe('R-IMP-42: the limit of 30 codes in 10 minutes', () => {
  test('refuses the 31st with the seconds to wait, counts each person alone, and writes one line and one mail to each owner', async () => {
    const { idOf } = await addCodes();
    const owner = await join('owner');
    const second = await join('owner');
    const support = await join('support');
    const other = await join('support');
    for (let turn = 0; turn < 30; turn += 1) expect((await support.reveal(idOf('held'))).status).toBe(200);
    for (let turn = 0; turn < 3; turn += 1) {
      const { status, body, headers } = await support.reveal(idOf('held'));
      expect(status).toBe(429);
      expect(body).toEqual({
        code: 'too_many_requests',
        message:
          'You showed 30 codes in the last 10 minutes. Please wait 10 min. The owners were told by mail.',
        retry_after: expect.any(Number),
      });
      const { retry_after } = body as { retry_after: number };
      expect(retry_after).toBeGreaterThan(500);
      expect(retry_after).toBeLessThanOrEqual(600);
      expect(headers['retry-after']).toBe(String(retry_after));
    }
    expect((await other.reveal(idOf('held'))).status).toBe(200);
    const { rows } = await portal.db.query<{ email: string }>(
      "select email from app_user where team_role = 'owner'",
    );
    expect((await listNotices(support.email)).sort()).toEqual(rows.map(({ email }) => email).sort());
    expect(rows.map(({ email }) => email)).toEqual(expect.arrayContaining([owner.email, second.email]));
    const audit = await listAudit(support.email);
    expect(audit).toHaveLength(31);
    expect(audit.at(-1)).toMatchObject({ action: 'coupon.refused_reveal', coupon_id: null, detail: {} });
    expect(await listNotices(other.email)).toEqual([]);
  });

  test('holds for managers and owners too', async () => {
    const { idOf } = await addCodes();
    for (const role of ['manager', 'owner'] as const) {
      const member = await join(role);
      await addReveals(member.email, 30, 60);
      expect(await member.reveal(idOf('free'))).toMatchObject({ status: 429, body: { retry_after: 540 } });
    }
  });

  test('slides: a code counts for 10 minutes, and the wait lasts until the oldest of the 30 no longer counts', async () => {
    const { idOf } = await addCodes();
    const support = await join('support');
    await addReveals(support.email, 50, 601);
    await addReveals(support.email, 1, 590);
    await addReveals(support.email, 28, 100);
    // A refused call does not count.
    await addReveals(support.email, 5, 100, true);
    expect((await support.reveal(idOf('held'))).status).toBe(200);
    const { status, body } = await support.reveal(idOf('held'));
    expect(status).toBe(429);
    const { retry_after, message } = body as { retry_after: number; message: string };
    expect(retry_after).toBeLessThanOrEqual(10);
    expect(message).toContain('Please wait 1 min.');
  });

  test('refuses free codes to support as before, and those calls do not count', async () => {
    const { idOf } = await addCodes();
    const support = await join('support');
    await addReveals(support.email, 30, 60);
    expect((await support.reveal(idOf('free'))).status).toBe(409);
    expect((await support.reveal('x')).status).toBe(404);
    expect(await listNotices(support.email)).toEqual([]);
  });

  test('sends the mail once in each period, and again in the next', async () => {
    const { idOf } = await addCodes();
    await join('owner');
    const support = await join('support');
    const countMails = async () => {
      expect((await support.reveal(idOf('held'))).status).toBe(429);
      const lines = await listAudit(support.email);
      return lines.filter(({ action }) => action === 'coupon.refused_reveal').length;
    };
    // Codes and a refusal of 12 minutes ago, which no longer count.
    await addReveals(support.email, 30, 720);
    await addReveals(support.email, 1, 500, true);
    await addReveals(support.email, 30, 60);
    expect(await countMails()).toBe(1);
    expect(await countMails()).toBe(1);
    // A person who stays at the limit is refused again and again. Not every refusal sends a mail.
    await addReveals(support.email, 29, 0);
    expect(await countMails()).toBe(1);
  });
});

describe('R-IMP-45: issuing and replacing codes', () => {
  /** Returns API calls by `role` that concern a learner with access to a product with 40 free codes. */
  async function addIssuer(role: TeamRole) {
    const codes = Array.from({ length: 40 }, (_, at) => `ISSUE-${people}-${String(at).padStart(4, '0')}`);
    const product = await addProduct(portal.db, { codes });
    const { product_id: productId } = product;
    const learner = await addLearner(portal.db, [product]);
    const member = await join(role);
    const post = (path: string, body: object) =>
      portal.call('POST', `/api/admin/${path}`, { token: member.token, body });
    const countHeld = async () =>
      (
        await portal.db.query<{ count: number }>(
          'select count(*)::int as count from coupon where product_id = $1 and holder is not null',
          [productId],
        )
      ).rows[0]?.count;
    const body = { email: learner.email, productId };
    return { ...member, productId, learner, countHeld, post, body };
  }

  const currentId = async (productId: string) =>
    (
      await portal.db.query<{ id: string }>(
        'select id from coupon where product_id = $1 and holder is not null and is_current',
        [productId],
      )
    ).rows[0]?.id ?? '';

  test('by support count together with showing: the 31st is refused, issues nothing, and the owners get one mail', async () => {
    await join('owner');
    const support = await addIssuer('support');
    const { post, body, productId } = support;
    const replace = async (reason: string) =>
      post(`coupons/${await currentId(productId)}/revoke`, { reason, replace: true });
    await addReveals(support.email, 27, 60);
    expect((await post('generate-coupon', body)).status).toBe(200);
    expect((await post('regenerate-coupon', body)).status).toBe(200);
    expect((await replace('Used up')).status).toBe(200);
    expect(await support.countHeld()).toBe(3);
    const { length } = await listAudit(support.email);
    for (const call of [
      () => post('regenerate-coupon', body),
      () => post('generate-coupon', body),
      () => replace('Used up again'),
      async () => support.reveal(await currentId(productId)),
    ])
      expect(await call()).toMatchObject({
        status: 429,
        body: { code: 'too_many_requests', retry_after: expect.any(Number) },
      });
    expect(await support.countHeld()).toBe(3);
    const { rows } = await portal.db.query("select email from app_user where team_role = 'owner'");
    expect(await listNotices(support.email)).toHaveLength(rows.length);
    const lines = await listAudit(support.email);
    expect(lines).toHaveLength(length + 1);
    expect(lines.at(-1)).toMatchObject({ action: 'coupon.refused_reveal' });
  });

  test('that are refused do not count, nor do replies that hide the code', async () => {
    const support = await addIssuer('support');
    const { post, body, learner, productId } = support;
    await addReveals(support.email, 29, 60);
    await redeemCoupon(portal.db, { caller: learner, productId }, REDEEM_TOOLS);
    const other = await addProduct(portal.db, { codes: 1 });
    expect((await post('generate-coupon', { ...body, productId: other.product_id })).status).toBe(400);
    expect((await post('regenerate-coupon', { ...body, email: 'nobody@example.org' })).status).toBe(404);
    // The learner redeemed this code, so the reply hides it.
    expect((await post('generate-coupon', body)).body).toMatchObject({ coupon: { coupon_code: null } });
    expect((await post('regenerate-coupon', body)).status).toBe(200);
    expect((await post('regenerate-coupon', body)).status).toBe(429);
  });

  test('by a manager do not count, and are not refused after 30 codes were shown', async () => {
    const manager = await addIssuer('manager');
    await addReveals(manager.email, 29, 60);
    for (let turn = 0; turn < 3; turn += 1)
      expect((await manager.post('regenerate-coupon', manager.body)).status).toBe(200);
    const id = await currentId(manager.productId);
    expect((await manager.reveal(id)).status).toBe(200);
    expect((await manager.reveal(id)).status).toBe(429);
    expect((await manager.post('regenerate-coupon', manager.body)).status).toBe(200);
    expect((await manager.post(`coupons/${id}/revoke`, { reason: 'Used up', replace: true })).status).toBe(
      200,
    );
  });
});

test('R-IMP-42: the mail names the person, the role and the number, and goes to the owners alone', async () => {
  const { idOf } = await addCodes();
  const owner = await join('owner');
  const manager = await join('manager');
  const support = await join('support');
  await setRole(
    portal.db,
    { actor: 'operator', email: 'new-owner@example.org', team_role: 'owner' },
    { adminEmails: [] },
  );
  // Removes the mail jobs of other tests, because a worker runs only 16 jobs at once.
  await portal.db.query("delete from job where kind = 'notice-mail'");
  await addReveals(support.email, 30, 60);
  await support.reveal(idOf('held'));
  const mails: { to: string; subject: string; text: string }[] = [];
  const nothing = async () => undefined;
  const handlers = createJobHandlers({
    ...{ db: portal.db, now: () => new Date(), publicUrl: 'https://portal.example' },
    brand: { name: 'Academy', accent: '#005f44', support_email: '' },
    ...{ importTools: {} as never, retention: { importDays: 0, mailDays: 0 }, purgeExpired: nothing },
    sendMail: async (mail) => `250 OK ${mails.push(mail)}`,
  });
  const jobs = createTestJobs(portal.db, { 'notice-mail': handlers['notice-mail'] });
  jobs.wake('mail');
  await jobs.close();
  const ours = mails.filter(({ subject }) => subject.includes(support.email));
  expect(ours.map(({ to }) => to)).toEqual(expect.arrayContaining([owner.email, 'new-owner@example.org']));
  expect(ours.map(({ to }) => to)).not.toContain(manager.email);
  expect(ours[0]?.subject).toBe(`30 codes shown in 10 minutes: ${support.email}`);
  expect(ours[0]?.text).toMatch(/role: support[\s\S]*\nhttps:\/\/portal.example\/admin\/users\/team\n/);
  expect(JSON.stringify(mails)).not.toMatch(/HELD-0001/);
});
