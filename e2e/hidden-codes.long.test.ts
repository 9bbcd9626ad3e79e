// Checks the staff pages with hidden codes for accessibility and layout defects, also on phones and in German.
import { expect, test } from 'vitest';
import { arriveSignedIn, openPerson, type Person, see } from './harness/browser.ts';
import { setOwnFixture } from './harness/fixture.ts';
import { expectNoDefect } from './harness/page-defects.ts';
import { ADMIN_EMAIL } from './harness/portal.ts';

const LONG = 'LONG-CODE-'.repeat(25);

const fixture = setOwnFixture({ CODES_MASKED: 'on' });

/** Opens a page as the owner, from whom codes are hidden too. */
async function open(path: string, locale: string): Promise<Person> {
  const person = await openPerson(fixture, { locale });
  await arriveSignedIn(person, fixture, ADMIN_EMAIL, path);
  return person;
}

const WORDS = {
  'en-US': { email: 'User email', find: 'View Products', show: /^Show the/ },
  'de-DE': { email: 'E-Mail des Nutzers', find: 'Produkte anzeigen', show: /^Anzeigen: / },
} as const;

test.each(['en-US', 'de-DE'] as const)(
  'R-IMP-42: no defects with hidden and shown codes, in %s',
  async (locale) => {
    const words = WORDS[locale];
    const learner = `${locale.toLowerCase()}@learner.example`;
    const product = await fixture.admin.addProduct({ name: `Tarnquill ${locale}` });
    await fixture.admin.importCodes(product, ['TQWL-3V9R-LQ27', 'ABC-12', `${LONG}${locale}`]);
    const other = await fixture.admin.addProduct({ name: `Merrowcode ${locale}` });
    await fixture.admin.importCodes(other, [`${LONG}B`]);
    await fixture.admin.addLearner(learner, product, other);
    for (const each of [product, other]) await fixture.admin.giveCode(learner, each);

    const { page } = await open('/admin/coupons', locale);
    const show = page.getByRole('button', { name: words.show });
    await show.first().waitFor();
    await expectNoDefect(page, { isInBothThemes: true });
    for (let left = await show.count(); left > 0; left -= 1) {
      await show.first().click();
      await expect.poll(() => show.count()).toBe(left - 1);
    }
    await expectNoDefect(page, { isInBothThemes: true });

    await page.goto('/admin/users?open=access');
    await page.getByLabel(words.email).fill(learner);
    await page.getByRole('button', { name: words.find }).click();
    await show.first().waitFor();
    await expectNoDefect(page, { isInBothThemes: true });
    await show.first().click();
    await show.first().click();
    await see(page, `${LONG}B`);
    await expectNoDefect(page, { isInBothThemes: true });
  },
);

test('R-IMP-42: no defects while the limit is reached', async () => {
  const person = await open('/admin/coupons', 'en-US');
  person.allowComplaint(/429/);
  const { page } = person;
  const body = { code: 'too_many_requests', message: 'No more', retry_after: 400 };
  await page.route('**/reveal', (route) => route.fulfill({ status: 429, json: body }));
  await page
    .getByRole('button', { name: /^Show the/ })
    .first()
    .click();
  await see(page, /^You showed 30 codes in the last 10 minutes. Please wait 7 min/);
  expect(await page.locator('button[aria-disabled="true"]').count()).toBeGreaterThan(2);
  await expectNoDefect(page, { isInBothThemes: true });
});
