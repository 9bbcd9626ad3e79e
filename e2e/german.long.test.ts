// Checks the pages in German for accessibility and layout defects, because German texts are longer than English. The
// staff pages of products, access and uploads are in lifecycle-pages.long.test.ts.
import { beforeAll, expect, test } from 'vitest';
import { csv, fileInput, openCard } from './harness/admin-pages.ts';
import { arriveSignedIn, openPerson, type Person, see } from './harness/browser.ts';
import { offerProduct, setFixture } from './harness/fixture.ts';
import { expectNoDefect } from './harness/page-defects.ts';
import { ADMIN_EMAIL } from './harness/portal.ts';

const LEARNER = 'grete@learner.example';

const fixture = setFixture();
let product: Awaited<ReturnType<typeof offerProduct>>;

beforeAll(async () => {
  product = await offerProduct(fixture, { codes: ['DEUTSCH-1', 'DEUTSCH-2'] });
  await fixture.admin.addLearner(
    LEARNER,
    product,
    await offerProduct(fixture, {}),
    await fixture.admin.addProduct(),
  );
});

type Screen = {
  name: string;
  by?: string;
  path: string;
  words: string | RegExp;
  act?: (person: Person) => Promise<void>;
};

const press = ({ page }: Person, name: string) => page.getByRole('button', { name, exact: true }).click();

const screens: Screen[] = [
  { name: 'home of a visitor', path: '/', words: 'Zum Einlösen anmelden' },
  {
    name: 'the login dialog with an error',
    path: '/',
    words: 'Zum Einlösen anmelden',
    act: async (person) => {
      await press(person, 'Zum Einlösen anmelden');
      await press(person, 'Anmeldelink senden');
      await see(person.page, 'Bitte geben Sie Ihre E-Mail-Adresse ein');
    },
  },
  {
    name: 'the login dialog after sending',
    path: '/',
    words: 'Zum Einlösen anmelden',
    act: async (person) => {
      await press(person, 'Zum Einlösen anmelden');
      await person.page.getByRole('dialog').getByRole('textbox').fill('fremd@stranger.example');
      await press(person, 'Anmeldelink senden');
      await see(person.page, 'Anmeldelink gesendet!');
    },
  },
  {
    name: 'the page of a mailed link',
    path: '/auth/v1/confirm?token_hash=abc&type=magiclink',
    words: 'Weiter',
  },
  { name: 'that page without its token', path: '/auth/v1/confirm', words: 'Dieser Link gilt nicht mehr' },
  {
    name: 'a code and its notification',
    by: LEARNER,
    path: '/product/',
    words: 'DEUTSCH-1',
    act: async (person) => {
      await press(person, 'Kopieren');
      await see(person.page, 'Geschafft!');
      // Moves the mouse over the toast. The toast does not close under the mouse, so it stays open during the checks.
      await person.page.getByText('Geschafft!', { exact: true }).hover();
    },
  },
  { name: 'the benefits of a learner', by: LEARNER, path: '/', words: 'Vergriffen' },
  { name: 'no benefits', by: 'niemand@stranger.example', path: '/', words: 'Dem Support schreiben' },
  { name: 'the sign-in of administrators', path: '/admin-login', words: 'Anmeldung zur Verwaltung' },
  { name: 'the dashboard', by: ADMIN_EMAIL, path: '/admin', words: 'Keine mehr' },
  {
    name: 'products with problems',
    by: ADMIN_EMAIL,
    path: '/admin/products',
    words: 'Vorhandene Produkte',
    act: async (person) => {
      await openCard(person.page, 'Neues Produkt anlegen');
      await press(person, 'Produkt speichern');
      await see(person.page, 'Geben Sie einen Namen ein');
    },
  },
  {
    name: 'a user looked up, and the question before another code',
    by: ADMIN_EMAIL,
    path: '/admin/users',
    words: LEARNER,
    act: async (person) => {
      await openCard(person.page, 'Zugänge der Nutzer');
      await person.page.getByLabel('E-Mail des Nutzers').fill(LEARNER);
      await press(person, 'Produkte anzeigen');
      await person.page.getByRole('button', { name: 'Neuen Code erzeugen' }).waitFor();
      await expectNoDefect(person.page);
      await press(person, 'Neuen Code erzeugen');
      await person.page.getByRole('alertdialog').waitFor();
    },
  },
  {
    name: 'an import with invalid rows',
    by: ADMIN_EMAIL,
    path: '/admin/coupons',
    words: 'DEUTSCH-2',
    act: async ({ page }) => {
      await openCard(page, 'Gutscheine gesammelt hochladen');
      await page.getByLabel('Produkt für den Sammel-Upload*').selectOption({ index: 1 });
      const rows = Array(7).fill('x'.repeat(300));
      await fileInput(page).setInputFiles(csv('gutscheine.csv', 'coupon_code', 'NEU-1', ...rows));
      await see(page, 'und 2 weitere');
    },
  },
];

test.each(screens)('$name', async ({ by, path, words, act }) => {
  const person = await openPerson(fixture, { locale: 'de-DE' });
  const to = path.replace(/\/product\/$/, `/product/${product.product_id}`);
  if (by) await arriveSignedIn(person, fixture, by, to);
  else await person.page.goto(to);
  await see(person.page, words);
  await act?.(person);
  expect(await person.page.evaluate(() => document.documentElement.lang)).toBe('de');
  await expectNoDefect(person.page);
});
