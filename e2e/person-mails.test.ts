// Tests the mails that a member of the team lets the portal send from the record of a person.
import { sendSignInMail } from '@portal/contract';
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { chooseAction } from './harness/admin-pages.ts';
import { arriveSignedIn, keepPerson, openPerson, see, seeToast, takeToast } from './harness/browser.ts';
import { setOwnFixture } from './harness/fixture.ts';
import { hasFocus, tabTo } from './harness/keyboard.ts';
import {
  addHolder,
  button,
  card,
  codeOf,
  HELD,
  linesOf,
  openRecord,
  seeInToast,
} from './harness/person-page.ts';
import { joinTeam } from './harness/team.ts';

const SUPPORT = 'vera@provider.example';
const MANAGER = 'mona@provider.example';
const LEARNER = 'jonas@learner.example';
const TOO_SOON = /^Error An email was sent to this person a moment ago\. Please wait \d+ seconds\.$/;

// With this interval, nobody can sign in twice during the tests.
const fixture = setOwnFixture({ AUTH_MAIL_INTERVAL_SECONDS: '600' });
const support = keepPerson(fixture, async (person) => {
  await joinTeam(fixture, SUPPORT, 'support');
  await arriveSignedIn(person, fixture, SUPPORT, '/admin/users');
});
beforeAll(async () => {
  await joinTeam(fixture, MANAGER, 'manager');
  await addHolder(fixture, LEARNER);
});

const idOf = (path: string) => path.split('/').at(-1) ?? '';

async function chooseAct(page: Page, act: string): Promise<void> {
  await button(page, `More for ${HELD}`).click();
  await page.getByRole('menuitem', { name: act }).click();
}

describe('R-TRAIL-33: Send sign-in email', () => {
  test('sends one mail after a double click, and says how long to wait for the next one', async () => {
    const email = 'double@learner.example';
    const path = await addHolder(fixture, email);
    const { page } = support;
    await openRecord(page, path);
    await button(page, 'Send sign-in email').dblclick();
    await seeToast(page, 'default', 'Success', 'Sign-in mail queued');
    expect((await fixture.mailbox.takeMail(email)).link).toContain('/confirm?');
    expect(support.countCalls(`/api/admin/people/${idOf(path)}/sign-in-mail`, 'POST')).toBe(1);
    // The timeline shows the mail without a press on Refresh.
    await linesOf(page, /^sign-in email queued$/i).waitFor();
    support.allowComplaint(/429/);
    await button(page, 'Send sign-in email').click();
    await seeInToast(page, TOO_SOON);
    expect(await hasFocus(button(page, 'Send sign-in email'))).toBe(true);
  });

  test('R-TRAIL-32, N-89: warns of an address that refuses mails; Try again lifts that', async () => {
    const email = 'refused@learner.example';
    const path = await addHolder(fixture, email);
    fixture.mailbox.refused.add(email);
    await fixture.admin.call(sendSignInMail, { params: { user_id: idOf(path) } });
    const { page } = support;
    const warning = page.getByText(/^Mails to this address are refused since .+: 550 5\.1\.1/);
    await expect
      .poll(async () => {
        await openRecord(page, path);
        return warning.isVisible();
      })
      .toBe(true);
    const tryAgain = button(page, 'Try again');
    await tabTo(page, tryAgain);
    await page.keyboard.press('Enter');
    await seeToast(page, 'default', 'Success', 'Mails to this address are sent again.');
    await warning.waitFor({ state: 'detached' });
    expect(await hasFocus(page.locator('main'))).toBe(true);
    await linesOf(page, /^emails to this address are sent again$/i)
      .first()
      .waitFor();
  });
});

describe('R-TRAIL-34: Email the link to the code', () => {
  test('queues one mail, and refuses a second one within 10 minutes', async () => {
    const { page } = support;
    await openRecord(page, await addHolder(fixture, 'link@learner.example'));
    await chooseAct(page, 'Email the link to the code');
    await seeToast(page, 'default', 'Success', 'Email with the link to the code queued');
    await linesOf(page, /‘Your code for Tarnquill’/)
      .first()
      .waitFor();
    expect(await hasFocus(button(page, `More for ${HELD}`))).toBe(true);
    support.allowComplaint(/429/);
    await chooseAct(page, 'Email the link to the code');
    await seeInToast(page, TOO_SOON);
  });

  test('is refused if somebody else has revoked the code; the page then shows that', async () => {
    const email = 'revoked@learner.example';
    const { page } = support;
    await openRecord(page, await addHolder(fixture, email));
    await revokeCodeOf(email);
    support.allowComplaint(/409/);
    await chooseAct(page, 'Email the link to the code');
    await takeToast(page, 'destructive', 'Error', 'This person holds no code of this product.');
    await see(card(page, 'Access'), /^Revoked /);
    await linesOf(page, /^code of Tarnquill revoked by .*: Refunded$/i).waitFor();
    expect(await button(page, `More for ${HELD}`).count()).toBe(0);
  });

  async function revokeCodeOf(email: string): Promise<void> {
    const products = await fixture.admin.listProducts();
    const product = products.find(({ name }) => name === HELD);
    if (product) await fixture.admin.undo(product, codeOf(email));
  }
});

test('in German, the refusals of the server are German too', async () => {
  const person = await openPerson(fixture, { locale: 'de-DE' });
  const { page } = person;
  const email = 'deutsch@learner.example';
  const path = await addHolder(fixture, email);
  await arriveSignedIn(person, fixture, MANAGER, path);
  await see(page, 'Zuletzt angemeldet: nie');
  person.allowComplaint(/429|409/);
  await button(page, 'Anmelde-E-Mail senden').click();
  await seeInToast(page, /^Erledigt Die Anmelde-E-Mail wird gesendet$/);
  await button(page, 'Anmelde-E-Mail senden').click();
  await seeInToast(
    page,
    /^Fehler Dieser Person wurde eben erst eine E-Mail gesendet\. Bitte warten Sie \d+ Sekunden\.$/,
  );
  await chooseAction(page, 'Mehr zu dieser Person', 'Bearbeiten');
  await page.getByRole('textbox', { name: 'E-Mail' }).fill(LEARNER);
  await button(page, 'Speichern').click();
  await see(page.getByRole('dialog'), /^Diese Adresse hat schon jemand anderes\. /);
});
