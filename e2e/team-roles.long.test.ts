// Checks every admin page of each role of the team for accessibility and layout defects and for console errors: in both
// themes, in English and in German.
import type { Product } from '@portal/contract';
import { beforeAll, expect, test } from 'vitest';
import { openCard } from './harness/admin-pages.ts';
import { see } from './harness/browser.ts';
import { setOwnFixture } from './harness/fixture.ts';
import { expectNoDefect } from './harness/page-defects.ts';
import { joinTeam, openMember, ROLES } from './harness/team.ts';
import { wordsIn } from './harness/words.ts';

const LOCALES = ['en-GB', 'de-DE'];
const LEARNER = 'axel@learner.example';
const NAME = `Tarnquill ${'Donaudampfschifffahrt'.repeat(5)}`;

const fixture = setOwnFixture();
let product: Product;
let upload: string;

beforeAll(async () => {
  const { admin } = fixture;
  product = await admin.addProduct({
    name: NAME,
    description: NAME.repeat(5),
    instructions: 'One\nTwo\nThree',
    header_text: NAME,
  });
  const codes = Array.from({ length: 1200 }, (_code, index) => `AXE-${index}`);
  upload = await admin.importFile(product, `${'a-long-name-'.repeat(8)}.csv`, 'coupon_code', ...codes);
  await admin.addLearner(LEARNER, product);
  await admin.giveCode(LEARNER, product);
  await admin.addProduct({ name: 'None left' });
  await admin.addProduct({ name: 'Shared', shared_coupon: true });
});

test.each(LOCALES.flatMap((locale) => ROLES.map((role) => ({ locale, role }))))(
  'R-TEAM-31, R-TEAM-32: the pages of $role in $locale: no axe violation, nothing cut off, covered, too small or moving',
  async ({ locale, role }) => {
    const t = wordsIn(locale);
    const { page } = await openMember(
      fixture,
      role,
      `${role}-${locale.slice(0, 2)}@provider.example`,
      '/admin',
      locale,
    );
    const nothing = role === 'viewer' ? t('Nothing here for your role.') : undefined;
    // Support sees no code in full, and this code is too short for a hint.
    const firstCode = role === 'support' ? '••••' : 'AXE-1199';
    const pages = {
      '/admin': t('Stock left'),
      '/admin/products': t('Existing Products'),
      [`/admin/products/${product.product_id}`]: t('Description'),
      // Viewers are redirected to the cohorts.
      '/admin/users': role === 'viewer' ? t('Existing Cohorts') : LEARNER,
      '/admin/coupons': role === 'viewer' ? t('Free') : firstCode,
      '/admin/coupons/uploads': nothing ?? t('Codes'),
      [`/admin/coupons/uploads/${upload}`]: nothing ?? t('About this upload'),
    };
    for (const [path, words] of Object.entries(pages)) {
      await page.goto(path);
      await see(page, words);
      await expectNoDefect(page, { isInBothThemes: true });
    }
    if (role !== 'viewer') {
      await page.goto('/admin/users?open=access');
      await page.getByLabel(t('User email')).fill(LEARNER);
      await page.getByRole('button', { name: t('View Products') }).click();
      await page.getByRole('button', { name: t('Regenerate Coupon') }).waitFor();
      await expectNoDefect(page);
    }
  },
);

test('R-TEAM-21, N-72: a form that was refused for the role: no axe violation, nothing cut off, covered, too small or moving', async () => {
  const email = 'refused@provider.example';
  for (const locale of LOCALES) {
    const t = wordsIn(locale);
    const person = await openMember(fixture, 'manager', email, '/admin/products', locale);
    person.allowComplaint(/403/);
    const { page } = person;
    await openCard(page, t('Add New Product'));
    const required = [t('Name'), t('URL'), t('Description')];
    for (const label of required) await page.getByLabel(label).first().fill('tarnquill.example');
    await joinTeam(fixture, email, 'viewer');
    await page.getByRole('button', { name: t('Save Product') }).click();
    await see(page, t('Access restricted'));
    await page.getByRole('heading', { name: t('Bulk Upload Products') }).waitFor({ state: 'detached' });
    await expectNoDefect(page, { isInBothThemes: true });
    expect(await page.getByRole('button', { name: t('Save Product') }).count()).toBe(1);
  }
});
