// Sends more redemptions than the database can process. Tests that some are refused without waiting, that all others
// succeed, and that pages are still served.
import { randomBytes } from 'node:crypto';
import { expect, onTestFinished, test } from 'vitest';
import { openPostgres } from '../server/src/db/open-postgres.ts';
import { startPostgres } from '../server/test/postgres.ts';
import { openAdmin, signIn } from './harness/api.ts';
import { openMailbox } from './harness/mailbox.ts';
import { startPortal } from './harness/portal.ts';

const EMAIL = 'lea@learner.example';
// Number of concurrent redemptions: a few hundred more than the queue of one process holds.
const PRESSES = 1_400;
const REFUSED_AT_LEAST = 300;

test('while the table of codes is locked, excess redemptions are refused at once, and pages and health checks still respond', async () => {
  const server = await startPostgres();
  onTestFinished(server.stop);
  const mailbox = await openMailbox();
  onTestFinished(() => mailbox.close());
  const env = {
    DATABASE_URL: server.url,
    SECRET_KEY: randomBytes(32).toString('base64'),
  };
  const portal = await startPortal({ mailbox, env });
  onTestFinished(async () => {
    // Kills the portal first, because a graceful stop would wait several seconds. After the kill, `stop` only removes
    // the data folder.
    await portal.kill();
    await portal.stop();
  });
  const admin = await openAdmin(portal);
  const product = await admin.addProduct();
  await admin.addCodes(product, 'THE-ONE');
  await admin.addLearner(EMAIL, product);
  const { access_token } = await signIn(portal, EMAIL);
  const statuses: number[] = [];
  const press = async () => {
    const response = await fetch(`${portal.url}/api/redeem-secure`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${access_token}` },
      body: JSON.stringify({ productId: product.product_id }),
    });
    statuses.push(response.status);
    const body = (await response.json()) as { coupon?: { couponCode: string } };
    return {
      status: response.status,
      retryAfter: response.headers.get('retry-after'),
      code: body.coupon?.couponCode,
    };
  };

  const db = await openPostgres({ url: server.url });
  onTestFinished(() => db.close());
  const presses = await db.transaction(async (tx) => {
    await tx.execute('lock table coupon in access exclusive mode');
    const started = Array.from({ length: PRESSES }, press);
    // The test has locked the table, so no redemption can succeed yet. Each response so far is a refusal.
    await expect.poll(() => statuses.length).toBeGreaterThanOrEqual(REFUSED_AT_LEAST);
    expect(new Set(statuses)).toEqual(new Set([503]));
    for (const path of ['/', '/login', '/healthz']) expect((await fetch(portal.url + path)).status).toBe(200);
    return started;
  });

  const answers = await Promise.all(presses);
  const refused = answers.filter(({ status }) => status === 503);
  const redeemed = answers.filter(({ code }) => code === 'THE-ONE');
  expect(redeemed.length).toBeGreaterThan(0);
  expect(refused.length + redeemed.length).toBe(PRESSES);
  for (const { retryAfter } of refused) expect(retryAfter).toBe('2');
  // The portal logs this message only for immediate refusals. A redemption that timed out in the queue logs another
  // message.
  expect(portal.output()).toContain('too many wait for a connection');
  expect(await press()).toMatchObject({ status: 200, code: 'THE-ONE' });
});
