// Tests the pages in German, chosen by the browser's language or by the user. Messages of the server must be German
// too.
import type { Locator } from 'playwright-core';
import { expect, test } from 'vitest';
import { csv, fileInput, openCard } from './harness/admin-pages.ts';
import { arriveSignedIn, openPerson, type Person, see, waitForHydration } from './harness/browser.ts';
import { offerProduct, setFixture } from './harness/fixture.ts';
import { ADMIN_EMAIL } from './harness/portal.ts';

const GERMAN = { locale: 'de-AT' };
const HEADLINE = 'Ihr Kurs bringt Vorteile mit.';
const ENGLISH_HEADLINE = 'Your course comes with benefits.';
const LEAST_TARGET_PX = 24;

const fixture = setFixture();

const languageOf = ({ page }: Person) => page.evaluate(() => document.documentElement.lang);
const headline = ({ page }: Person, name: string) => page.getByRole('heading', { level: 1, name }).waitFor();
const other = ({ page }: Person, name: string) =>
  page.getByRole('contentinfo').getByRole('link', { name, exact: true });
const toast = ({ page }: Person) => page.getByRole('region', { name: 'Mitteilungen (F8)' });

test('a German browser gets German: home, the sign-in and the message for an empty field', async () => {
  const person = await openPerson(fixture, GERMAN);
  const { page } = person;
  await page.goto('/');
  await headline(person, HEADLINE);
  expect(await languageOf(person)).toBe('de');
  expect(await page.title()).toBe('Partnervorteile · Partner Benefits');
  const texts = await page.locator('body').allInnerTexts();
  expect(texts.join(' ')).not.toMatch(/\b(the|your|and|sign|with)\b/i);
  await page.getByRole('button', { name: 'Zum Einlösen anmelden', exact: true }).click();
  const dialog = page.getByRole('dialog', { name: 'Anmelden und einlösen', exact: true });
  await dialog.getByRole('button', { name: 'Anmeldelink senden', exact: true }).click();
  await see(dialog, 'Bitte geben Sie Ihre E-Mail-Adresse ein');
});

test('a learner redeems in German: date format, notifications and error messages of the server', async () => {
  const email = 'greta@learner.example';
  await offerProduct(fixture, { learners: [email], codes: ['GRETA-1'] });
  const strange = await offerProduct(fixture, {});
  const person = await openPerson(fixture, GERMAN);
  const { page } = person;
  person.allowComplaint(/403/);
  await arriveSignedIn(person, fixture, email);
  await page.getByRole('link', { name: 'Jetzt einlösen' }).click();
  await see(page, 'GRETA-1', 'Dieser Code gilt nur einmal. Lösen Sie ihn beim Anbieter ein.');
  await page.getByRole('button', { name: 'Kopieren', exact: true }).click();
  await see(toast(person), 'Geschafft!', 'Gutscheincode in die Zwischenablage kopiert');
  await page.goto('/');
  const today = new Intl.DateTimeFormat('de-AT', { day: 'numeric', month: 'short' }).format(new Date());
  await see(page, `Code vom ${today}`, '1 von 1 eingelöst');
  await page.goto(`/product/${strange.product_id}`);
  await see(
    page,
    'Kein Zugang zu diesem Angebot',
    /^Sie haben offenbar keinen Zugang\. .* an support@example\.org/,
  );
});

test('at 768 px the language link stands in one line with the copyright notice', async () => {
  const person = await openPerson(fixture, { ...GERMAN, viewport: { width: 768, height: 1024 } });
  await person.page.goto('/');
  const middleOf = async (part: Locator) => {
    const box = await part.boundingBox();
    return box && box.y + box.height / 2;
  };
  const copyright = person.page.getByRole('contentinfo').getByText('©');
  expect(await middleOf(other(person, 'English'))).toBe(await middleOf(copyright));
});

test('an administrator reads German, also the reasons for refused rows, and the page fits into 320 px', async () => {
  await fixture.admin.addProduct({ name: 'Wörterbuch' });
  const person = await openPerson(fixture, GERMAN);
  const { page } = person;
  await arriveSignedIn(person, fixture, ADMIN_EMAIL, '/admin/products');
  await page.getByRole('heading', { level: 1, name: 'Produkte', exact: true }).waitFor();
  await openCard(page, 'Produkte gesammelt hochladen');
  await fileInput(page).setInputFiles(
    csv('neu.csv', 'name,description,url', ',Ohne Namen,https://a.example'),
  );
  await see(toast(person), 'Import abgeschlossen', 'Angelegte Produkte: 0. Nicht angelegt: 1.');
  await see(page, 'name fehlt');
  await page.setViewportSize({ width: 320, height: 700 });
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(320);
});

test('the footer switches to the other language and back on the same page, and the choice is stored', async () => {
  const person = await openPerson(fixture);
  const { page, context } = person;
  await page.goto('/fellowship?from=mail#top');
  await headline(person, ENGLISH_HEADLINE);
  await waitForHydration(page);
  const german = other(person, 'Deutsch');
  expect(await german.getAttribute('lang')).toBe('de');
  expect(await german.getAttribute('hreflang')).toBe('de');
  expect((await german.boundingBox())?.height).toBeGreaterThanOrEqual(LEAST_TARGET_PX);
  await german.focus();
  await page.keyboard.press('Enter');
  await headline(person, HEADLINE);
  expect(new URL(page.url()).pathname + new URL(page.url()).search).toBe('/fellowship?from=mail');
  const [cookie] = await context.cookies();
  expect(cookie).toMatchObject({ name: 'lang', value: 'de', path: '/', sameSite: 'Lax' });
  const later = await person.openTab();
  await later.goto('/');
  await later.getByRole('heading', { level: 1, name: HEADLINE }).waitFor();
  await other(person, 'English').click();
  await headline(person, ENGLISH_HEADLINE);
  expect(await languageOf(person)).toBe('en');
});

test('other browsers get English and load no other language', async () => {
  const fetched: string[] = [];
  for (const locale of ['en-GB', 'fr-FR']) {
    const person = await openPerson(fixture, { locale });
    person.page.on('request', (request) => fetched.push(request.url()));
    await person.page.goto('/');
    await headline(person, ENGLISH_HEADLINE);
    expect(await languageOf(person)).toBe('en');
  }
  expect(fetched.some((url) => /\/assets\/main-[^/]*\.js$/.test(url))).toBe(true);
  expect(fetched.filter((url) => /\/assets\/de-/.test(url))).toEqual([]);
});

test.each(['/', '/admin-login', '/admin-access-restricted', '/no-such-page'])(
  'the German %s fits into 320 px',
  async (path) => {
    const { page } = await openPerson(fixture, { ...GERMAN, viewport: { width: 320, height: 700 } });
    await page.goto(path);
    await page.getByRole('main').getByRole('heading', { level: 1 }).waitFor();
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(320);
  },
);

test('a page whose German texts cannot be loaded is completely in English', async () => {
  const person = await openPerson(fixture, GERMAN);
  person.allowComplaint(/ERR_FAILED/);
  await person.page.route('**/assets/de-*', (route) => route.abort());
  await person.page.goto('/');
  await headline(person, ENGLISH_HEADLINE);
  expect(await languageOf(person)).toBe('en');
  await other(person, 'Deutsch').waitFor();
});

test('the language switch works without scripts', async () => {
  const person = await openPerson(fixture, { javaScriptEnabled: false });
  await person.page.goto('/');
  await other(person, 'Deutsch').click();
  await headline(person, HEADLINE);
  await other(person, 'English').click();
  await headline(person, ENGLISH_HEADLINE);
});
