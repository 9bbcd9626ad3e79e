// Tests the pre-rendered pages before any script has run, and that hydration changes nothing.
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { arriveSignedIn, openPerson, see } from './harness/browser.ts';
import { offerProduct, setFixture } from './harness/fixture.ts';
import { holdCalls } from './harness/hold.ts';

const MAIN_SCRIPT = /\/assets\/main-[^/]+\.js$/;
const SIGN_IN_CLIENT = /\/assets\/module-[^/]+\.js$/;
const ONLY_FOR_VISITORS = /^Login$|Your course comes with/m;

const fixture = setFixture();

/** Opens a page but holds its main script. Returns a function that releases the script. */
async function openWithoutScript(page: Page, path: string): Promise<() => void> {
  const letThrough = await holdCalls(page, MAIN_SCRIPT);
  await page.goto(path, { waitUntil: 'commit' });
  return letThrough;
}

test('without JavaScript a visitor can read home and the product, and a message says what needs JavaScript', async () => {
  const product = await offerProduct(fixture, {});
  const { page } = await openPerson(fixture, { javaScriptEnabled: false });
  await page.goto('/');
  const hint = page.locator('noscript').getByRole('paragraph').filter({ visible: true });
  await see(page, 'Your course comes with benefits.');
  expect(await hint.textContent()).toMatch(/sign in and to redeem a code/);
  expect(await page.getByRole('main').getByRole('listitem').count()).toBe(3);
  await page.goto(`/product/${product.product_id}`);
  await see(page, product.name, product.description, 'How To Redeem Your Offer');
  await see(page, 'Priority access at peak times');
  expect(await hint.count()).toBe(1);
});

test('hydration keeps every element that the server sent and requests no data that the page contains', async () => {
  const product = await fixture.admin.addProduct({
    name: 'Tools & </script> "more" שלום',
    instructions: 'One https://a.example/?b=1&c=2\n\nTwo',
    page_title: 'Tools for <everybody>',
  });
  const person = await openPerson(fixture);
  const { page } = person;
  for (const path of ['/', '/accelerator', '/?from=mail#here', `/product/${product.product_id}?x=1`]) {
    const letThrough = await openWithoutScript(page, path);
    await page.getByRole('heading', { level: 1 }).waitFor();
    await page.locator('html[data-early]').waitFor();
    await page.evaluate(() => {
      const touched: (string | null)[] = [];
      new MutationObserver((changes) =>
        touched.push(...changes.map((change) => change.attributeName)),
      ).observe(document.documentElement, { attributes: true });
      Object.assign(window, { sent: Array.from(document.querySelectorAll('#root *')), touched });
    });
    const title = await page.title();
    letThrough();
    await page.getByRole('banner').getByRole('button', { name: 'Login' }).click();
    await page.getByRole('dialog').waitFor();
    expect(await page.evaluate('sent.length > 50 && sent.every((element) => element.isConnected)')).toBe(
      true,
    );
    // The page's scripts have changed only the attribute `data-early` of the root element. Setting any attribute of
    // this element, even to the same value, can make the browser recompute all styles.
    expect(await page.evaluate('touched'), path).toEqual(['data-early']);
    expect(await page.title()).toBe(title);
  }
  expect(await page.title()).toBe('Tools for <everybody>');
  expect(person.countCalls(`/api/products/${product.product_id}`)).toBe(0);
});

test('a visitor’s page is painted from its HTML and style sheets before it requests scripts', async () => {
  const product = await offerProduct(fixture, {});
  for (const path of ['/', `/product/${product.product_id}`]) {
    const { page } = await openPerson(fixture);
    await page.goto(path);
    await page.waitForLoadState('networkidle');
    const { painted, scripts } = await page.evaluate(() => {
      const files = performance.getEntriesByType('resource') as PerformanceResourceTiming[];
      const scripts = files.filter(({ name }) => name.endsWith('.js')).map(({ startTime }) => startTime);
      const painted = performance.getEntriesByName('first-contentful-paint')[0]?.startTime;
      return { painted, scripts };
    });
    expect(scripts.length, path).toBeGreaterThan(2);
    expect(Math.min(...scripts), path).toBeGreaterThan(painted ?? Number.POSITIVE_INFINITY);
  }
});

test('a page that is not painted, as in a background tab, loads its scripts too', async () => {
  const { page } = await openPerson(fixture);
  await page.addInitScript(() => Object.assign(PerformanceObserver.prototype, { observe: () => {} }));
  await page.goto('/');
  await page.getByRole('banner').getByRole('button', { name: 'Login' }).click();
  await page.getByRole('dialog').waitFor();
});

test('a product page opened by navigation looks the same as one loaded from the server', async () => {
  const product = await offerProduct(fixture, {});
  const { page } = await openPerson(fixture);
  const readLook = () =>
    page.evaluate(() =>
      Array.from(document.querySelectorAll('main *'), (element) => {
        const { display, padding, fontSize, gap } = getComputedStyle(element);
        return [element.tagName, display, padding, fontSize, gap].join(' ');
      }),
    );
  await page.goto(`/product/${product.product_id}`);
  await page.waitForLoadState('networkidle');
  const loaded = await readLook();
  await page.goto('/nowhere');
  await page.evaluate((path) => {
    history.pushState(null, '', path);
  }, `/product/${product.product_id}`);
  await see(page, product.name, 'How To Redeem Your Offer');
  await expect.poll(readLook).toEqual(loaded);
});

test('a click before the scripts have loaded is not lost', async () => {
  const product = await offerProduct(fixture, {});
  const { page } = await openPerson(fixture);
  const path = `/product/${product.product_id}`;
  for (const name of ['Redeem Now', 'Login']) {
    const letThrough = await openWithoutScript(page, path);
    await page.getByRole('button', { name, exact: true }).click();
    expect(await page.getByRole('dialog').count()).toBe(0);
    letThrough();
    await page.getByRole('dialog', { name: 'Sign In to Redeem' }).waitFor();
    expect(await page.locator('[data-pressed]').count()).toBe(0);
  }
});

test('R-HDR-02, A-84: a signed-in user never sees content for visitors, neither before the scripts have loaded nor after', async () => {
  const email = 'still@learner.example';
  const product = await offerProduct(fixture, { learners: [email], codes: ['STILL-1'] });
  const person = await openPerson(fixture);
  const { page } = person;
  await arriveSignedIn(person, fixture, email);
  await page.addInitScript(() => {
    const seen = new Set<string>();
    const look = () => {
      // biome-ignore lint/performance/useDomNodeTextContent: innerText leaves out hidden text.
      seen.add(document.body?.innerText ?? '');
      requestAnimationFrame(look);
    };
    look();
    Object.assign(window, { seen });
  });
  const seen = () => page.evaluate('Array.from(seen).join()');

  const showHome = await openWithoutScript(page, '/');
  await see(page, 'Your Partner Benefits', 'Loading...', 'Loading your benefits');
  showHome();
  await see(page, email, product.name);
  expect(await seen()).not.toMatch(ONLY_FOR_VISITORS);

  const showProduct = await openWithoutScript(page, `/product/${product.product_id}`);
  await see(page, product.name, product.description, 'Loading...');
  expect(await page.getByRole('button', { name: 'Redeem Now' }).isDisabled()).toBe(true);
  showProduct();
  await see(page, email, 'STILL-1');
  expect(await seen()).not.toMatch(ONLY_FOR_VISITORS);
  expect(person.countCalls(`/api/products/${product.product_id}`)).toBe(0);
});

test('the calls of a signed-in user start before the sign-in client has loaded, which loads in parallel', async () => {
  const email = 'frueh@learner.example';
  const product = await offerProduct(fixture, { learners: [email] });
  const person = await openPerson(fixture);
  const { page } = person;
  await arriveSignedIn(person, fixture, email);
  const showPage = await holdCalls(page, MAIN_SCRIPT);
  const asked = page.waitForRequest(SIGN_IN_CLIENT);
  const bringClient = await holdCalls(page, SIGN_IN_CLIENT);
  await page.goto('/', { waitUntil: 'commit' });
  await asked;
  showPage();
  await see(page, email, product.name);
  bringClient();
});

test('R-PROD-02: the server responds with 404 for an unknown product, and the page says so without scripts', async () => {
  const person = await openPerson(fixture, { javaScriptEnabled: false });
  person.allowComplaint(/404/);
  const answer = await person.page.goto('/product/nowhere');
  expect(answer?.status()).toBe(404);
  await see(person.page, 'Product Not Found');
});

test('a product page that was sent without its product requests it', async () => {
  const product = await offerProduct(fixture, {});
  const person = await openPerson(fixture);
  await person.page.route('**/product/*', async (route) => {
    // If the database does not respond in time, the server sends the product page without data. The server sends the
    // same page for an unknown path, so the test uses the page of an unknown path.
    const body = await (await fetch(`${fixture.portal.url}/nowhere`)).text();
    await route.fulfill({ contentType: 'text/html', body });
  });
  await person.page.goto(`/product/${product.product_id}`);
  await see(person.page, product.name);
  expect(person.countCalls(`/api/products/${product.product_id}`)).toBe(1);
});
