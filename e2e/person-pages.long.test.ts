// Checks the record of a person for accessibility and layout defects: in English in both themes, and in German.
import { editPerson, sendSignInMail } from '@portal/contract';
import { beforeAll, expect, test } from 'vitest';
import { chooseAction } from './harness/admin-pages.ts';
import { arriveSignedIn, openPerson, see } from './harness/browser.ts';
import { setOwnFixture } from './harness/fixture.ts';
import { holdCalls } from './harness/hold.ts';
import { expectNoDefect } from './harness/page-defects.ts';
import { findRecord } from './harness/person-page.ts';
import { ADMIN_EMAIL } from './harness/portal.ts';
import { joinTeam } from './harness/team.ts';
import { wordsIn } from './harness/words.ts';

const LONG = 'Donaudampfschifffahrtsgesellschaft'.repeat(3);
const LEARNER = `${'a-long-address-'.repeat(3)}@learner.example`;
const EMPTY = 'empty@learner.example';

const fixture = setOwnFixture();
let record: string;
let empty: string;

beforeAll(async () => {
  const { admin, mailbox } = fixture;
  const product = await admin.addProduct({ name: `Tarnquill ${LONG}` });
  const ended = await admin.addProduct({ name: 'Velloquy' });
  for (const each of [product, ended]) await admin.addCodes(each, 'LONG-AAAA-K5M7');
  await admin.addLearner(LEARNER, product, ended);
  for (const each of [product, ended]) await admin.giveCode(LEARNER, each);
  await admin.undo(ended, 'LONG-AAAA-K5M7');
  record = await findRecord(fixture, LEARNER);
  const user_id = record.split('/').at(-1) ?? '';
  const body = { email: LEARNER, name: LONG, phone_number: '0'.repeat(50) };
  await admin.call(editPerson, { params: { user_id }, body });
  mailbox.refused.add(LEARNER);
  await admin.call(sendSignInMail, { params: { user_id } });
  await joinTeam(fixture, EMPTY, 'viewer');
  empty = await findRecord(fixture, EMPTY);
});

test.each(['en-GB', 'de-DE'])(
  'R-TRAIL-50: %s: no axe violation, nothing cut off, covered, too small or moving',
  async (locale) => {
    const t = wordsIn(locale);
    const person = await openPerson(fixture, { locale });
    const { page } = person;
    const check = () => expectNoDefect(page, { isInBothThemes: locale === 'en-GB' });
    await arriveSignedIn(person, fixture, ADMIN_EMAIL, record);
    await expect
      .poll(async () => {
        await page.goto(record);
        await page
          .getByRole('button', { name: t('Details') })
          .first()
          .waitFor();
        return page.getByRole('button', { name: t('Try again') }).isVisible();
      })
      .toBe(true);
    await see(page, 'Velloquy');
    await check();
    await chooseAction(page, t('More for this person'), t('Edit'));
    person.allowComplaint(/409/);
    await page.getByRole('textbox', { name: t('Email') }).fill(EMPTY);
    await page.getByRole('button', { name: t('Save'), exact: true }).click();
    await page.getByRole('link', { name: t('Open their record') }).waitFor();
    await check();
    await page.goto(empty);
    await see(page, t('This person has no products, and never had any.'));
    await check();
    await chooseAction(page, t('More for this person'), t('Edit'));
    await page.getByRole('dialog').waitFor();
    await check();
    const release = await holdCalls(page, '**/api/admin/people/*');
    await page.goto(record);
    await page.getByRole('heading', { level: 1, name: t('Person') }).waitFor();
    await check();
    release();
  },
);

test('a record and an access that could not be loaded have no defect', async () => {
  const person = await openPerson(fixture);
  const { page } = person;
  person.allowComplaint(/500/);
  const fail = (path: string) =>
    page.route(path, (route) => route.fulfill({ status: 500, json: { message: 'x' } }));
  await fail('**/api/admin/user-access/*');
  await arriveSignedIn(person, fixture, ADMIN_EMAIL, record);
  await see(page, /^We could not load the access of this person\./);
  await expectNoDefect(page);
  await fail('**/api/admin/people/*');
  await page.goto(record);
  await see(page, /^We could not load this person\./);
  await expectNoDefect(page);
});
