// Checks the access card with verdicts, reasons and similar addresses, and the record of a person, for accessibility and
// layout defects: in English in both themes, and in German.
import { addMembers, createCohort } from '@portal/contract';
import { beforeAll, expect, test } from 'vitest';
import { arriveSignedIn, openPerson, see } from './harness/browser.ts';
import { setOwnFixture } from './harness/fixture.ts';
import { expectNoDefect } from './harness/page-defects.ts';
import { findRecord } from './harness/person-page.ts';
import { ADMIN_EMAIL } from './harness/portal.ts';
import { addVerdicts, lookUp } from './harness/verdicts.ts';
import { wordsIn } from './harness/words.ts';

const LONG = 'Donaudampfschifffahrtsgesellschaft'.repeat(3);
const PRODUCT = `Tarnquill ${LONG}`;
const ADDRESS = 'a-long-address-'.repeat(4);
const ONE = `${ADDRESS}@learner.example`;

const fixture = setOwnFixture();

beforeAll(async () => {
  const { admin } = fixture;
  await addVerdicts(fixture, { one: ONE, all: `${ADDRESS}+all@learner.example` });
  const { product_id } = await admin.addProduct({ name: PRODUCT });
  const body = { name: LONG, note: null, product_ids: [product_id] };
  const { cohort_id: id } = await admin.call(createCohort, { body });
  await admin.call(addMembers, { params: { id }, body: { emails: [ONE] } });
});

test.each(['en-GB', 'de-DE'])(
  'R-COHORT-25: %s: no axe violation, nothing cut off, covered, too small or moving',
  async (locale) => {
    const t = wordsIn(locale);
    const person = await openPerson(fixture, { locale });
    const { page } = person;
    const check = () => expectNoDefect(page, { isInBothThemes: locale === 'en-GB' });
    const press = (name: string) =>
      page.getByRole('button', { name: `${t('Why?')} ${name}`, exact: true }).click();
    await arriveSignedIn(person, fixture, ADMIN_EMAIL, '/admin/users');
    await lookUp(page, ONE);
    await press(PRODUCT);
    await page.getByRole('table', { name: t('Grants of {product}', { product: PRODUCT }) }).waitFor();
    await check();
    await press('Why removed');
    await page.getByRole('cell', { name: /^(Removed|Entzogen) / }).waitFor();
    await check();

    person.allowComplaint(/500/);
    await page.route('**/why/*', (route) => route.fulfill({ status: 500, json: { message: 'x' } }));
    await press('Why paused');
    await page
      .getByRole('alert')
      .filter({ hasText: t('We could not load the reasons.') })
      .waitFor();
    await check();
    await page.unroute('**/why/*');

    person.allowComplaint(/404/);
    await lookUp(page, `${ADDRESS}@mail.example`);
    await see(page, t('Did they buy with another address?'));
    await check();

    await page.goto(await findRecord(fixture, ONE));
    await press(PRODUCT);
    await page.getByRole('table', { name: t('Grants of {product}', { product: PRODUCT }) }).waitFor();
    expect(await page.evaluate(() => document.documentElement.lang)).toBe(locale.slice(0, 2));
    await check();
  },
);
