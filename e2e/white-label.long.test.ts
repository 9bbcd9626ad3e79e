// Checks the pages for defects with unusual brands: difficult accent colours, long names and wide logos.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { paletteStyles } from '@portal/contract/palette';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { arriveSignedIn, openPerson, see } from './harness/browser.ts';
import { offerProduct, setOwnFixture } from './harness/fixture.ts';
import { expectNoDefect } from './harness/page-defects.ts';
import { ADMIN_EMAIL } from './harness/portal.ts';

const LEARNER = 'willa@learner.example';
const LOGO = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 400 26"><path d="M0 0h400v26H0z"/></svg>';

const BRANDS = [
  {
    colour: 'a very light yellow',
    seenBy: ['visitor', 'learner', 'administrator'],
    brand: { accent: '#fffbd1', name: 'The Worshipful Academy of Applied Arts and Sciences' },
  },
  {
    colour: 'nearly black',
    seenBy: ['visitor', 'learner'],
    brand: { accent: '#0b0b0d', name: 'Nyx', logo_url: 'https://cdn.example/logo.svg' },
  },
  {
    colour: 'a vivid red',
    seenBy: ['learner', 'administrator'],
    brand: { accent: '#ff0000', name: 'Rubric' },
  },
];

/** Responds to requests for the logo, because the logo's host does not exist. */
function answerLogo(page: Page): Promise<unknown> {
  return page.route('https://cdn.example/**', (route) =>
    route.fulfill({ contentType: 'image/svg+xml', body: LOGO }),
  );
}

describe.each(BRANDS)('in $colour', ({ seenBy, brand }) => {
  let folder = '';
  const fixture = setOwnFixture(async () => {
    folder = await mkdtemp(join(tmpdir(), 'portal-brand-'));
    const file = join(folder, 'brand.json');
    await writeFile(file, JSON.stringify(brand));
    return { BRAND_FILE: file };
  });
  let product: Awaited<ReturnType<typeof offerProduct>>;
  beforeAll(async () => {
    product = await offerProduct(fixture, { learners: [LEARNER], codes: ['BRAND-1'] });
    await fixture.admin.addLearner(
      LEARNER,
      product,
      await offerProduct(fixture, {}),
      await fixture.admin.addProduct(),
    );
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  if (seenBy.includes('visitor')) {
    test('a visitor finds the way in', async () => {
      const { page } = await openPerson(fixture);
      await answerLogo(page);
      await page.goto('/');
      const solid = await page.evaluate(() =>
        getComputedStyle(document.documentElement).getPropertyValue('--accent-solid'),
      );
      expect(paletteStyles(brand.accent)).toContain(`--accent-solid:${solid};`);
      await expectNoDefect(page);
    });
  }

  test('a learner finds and takes a code', async () => {
    const person = await openPerson(fixture);
    const { page } = person;
    await answerLogo(page);
    await arriveSignedIn(person, fixture, LEARNER, `/product/${product.product_id}`);
    await see(page, 'BRAND-1');
    await expectNoDefect(page);
    await page.goto('/');
    await see(page, /^Code issued/, 'Sold out');
    await expectNoDefect(page);
  });

  if (seenBy.includes('administrator')) {
    test('an administrator sees what is left', async () => {
      const person = await openPerson(fixture);
      const { page } = person;
      await answerLogo(page);
      await arriveSignedIn(person, fixture, ADMIN_EMAIL, '/admin');
      await see(page, 'None left');
      await expectNoDefect(page);
    });
  }
});
