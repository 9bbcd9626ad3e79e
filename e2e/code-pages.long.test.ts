// Checks the page of a code and the form of a note for accessibility and layout defects: in English in both themes, and
// in German.
import { addNote, generateCoupon, listCoupons, revokeCoupon, voidCoupon } from '@portal/contract';
import { beforeAll, expect, test } from 'vitest';
import { arriveSignedIn, openPerson, see } from './harness/browser.ts';
import { setOwnFixture } from './harness/fixture.ts';
import { holdCalls } from './harness/hold.ts';
import { expectNoDefect } from './harness/page-defects.ts';
import { ADMIN_EMAIL } from './harness/portal.ts';
import { wordsIn } from './harness/words.ts';

const LONG = 'Donaudampfschifffahrtsgesellschaft'.repeat(3);
const LEARNER = `${'a-long-address-'.repeat(3)}@learner.example`;
const CODE = `LONG-${'ABCDEFGH-'.repeat(20)}K5M7`;

const fixture = setOwnFixture();
const paths: Record<string, string> = {};

beforeAll(async () => {
  const { admin } = fixture;
  const product = await admin.addProduct({ name: `Tarnquill ${LONG}` });
  const lines = [`${CODE},2099-06-30`, 'LONG-BBBB-92XF,', 'LONG-CCCC-LQ27,', 'LONG-DDDD-8KQE,'];
  await admin.importFile(product, `${LONG}.csv`, 'coupon_code,use_by', ...lines);
  await admin.addLearner(LEARNER, product);
  await admin.addLearner('second@learner.example', product);
  for (const email of [LEARNER, 'second@learner.example'])
    await admin.call(generateCoupon, { body: { email, productId: product.product_id } });
  const coupons = await admin.call(listCoupons, {});
  const [free, spare] = coupons.filter(({ state }) => state === 'free');
  const held = coupons.find(({ coupon_code }) => coupon_code === CODE);
  const revoked = coupons.find(({ email }) => email === 'second@learner.example');
  const idOf = (coupon: { id: string } | undefined) => ({ id: coupon?.id ?? '' });
  await admin.call(revokeCoupon, { params: idOf(revoked), body: { reason: LONG, replace: false } });
  await admin.call(voidCoupon, { params: idOf(spare), body: { reason: 'mistake', note: null } });
  await admin.call(addNote, { body: { coupon_id: held?.id, text: LONG.repeat(3) } });
  for (const [name, coupon] of Object.entries({ free, spare, held, revoked }))
    paths[name] = `/admin/coupons/${coupon?.id}`;
});

test.each(['en-GB', 'de-DE'])(
  'R-TRAIL-06, R-TRAIL-51: %s: no axe violation, nothing cut off, covered, too small or moving',
  async (locale) => {
    const t = wordsIn(locale);
    const person = await openPerson(fixture, { locale });
    const { page } = person;
    const check = () => expectNoDefect(page, { isInBothThemes: locale === 'en-GB' });
    await arriveSignedIn(person, fixture, ADMIN_EMAIL, paths.free);
    for (const path of [paths.free, paths.revoked, paths.spare, paths.held] as string[]) {
      await page.goto(path);
      await see(page, t('About this code'));
      await page.locator('[data-no-rows], ol > li').first().waitFor();
      await check();
    }
    await page.getByRole('button', { name: t('Show the code ending in {hint}', { hint: 'K5M7' }) }).click();
    await see(page, CODE);
    await page.getByRole('button', { name: t('Add note') }).click();
    await page.locator('textarea').fill(LONG.repeat(5));
    await check();
    await page.locator('textarea').fill(' ');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.locator('form [role=alert]').waitFor();
    await page.keyboard.press('F8');
    await page.keyboard.press('Escape');
    await check();
    await page.locator('textarea').fill('x');
    await page.keyboard.press('Escape');
    await see(page, t('Discard the note?'));
    await check();
    await page.goto('/admin/coupons');
    await page.getByRole('row').nth(1).waitFor();
    await check();
  },
);

test('the page of a code while it loads, and after a failure, has no defect', async () => {
  const person = await openPerson(fixture);
  const { page } = person;
  person.allowComplaint(/500|404/);
  const letThrough = await holdCalls(page, '**/api/admin/coupons/*');
  await arriveSignedIn(person, fixture, ADMIN_EMAIL, paths.free);
  await see(page, 'Loading the code...');
  await expectNoDefect(page);
  letThrough();
  await see(page, 'About this code');
  await page.route('**/api/admin/coupons/*', (route) =>
    route.fulfill({ status: 500, json: { message: 'x' } }),
  );
  await page.goto(paths.revoked ?? '');
  await see(page, /^We could not load the code\./);
  await expectNoDefect(page);
  await page.unrouteAll({ behavior: 'ignoreErrors' });
  await page.goto('/admin/coupons/999999');
  await see(page, '404 Page Not Found');
  expect(await page.getByRole('navigation', { name: 'Admin' }).count()).toBe(1);
});
