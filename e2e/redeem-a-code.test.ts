// Tests the main flow: a visitor signs in, gets a code and comes back later.
import { expect, test } from 'vitest';
import { arriveSignedIn, openPerson, see } from './harness/browser.ts';
import { offerProduct, setFixture } from './harness/fixture.ts';

const fixture = setFixture();

test('R-GEN-01, R-GEN-02, R-GEN-06, R-AUTO-07, R-LOGIN-11, R-LOGIN-12, R-LOGIN-17, R-PROD-14, R-PROD-19, R-PROD-29: a visitor who redeems gets a mailed link, and the link shows the code without another click', async () => {
  const product = await offerProduct(fixture, {
    learners: ['lea@learner.example'],
    codes: ['LEA-CODE-1', 'LEA-CODE-2'],
  });
  const person = await openPerson(fixture);
  const { page } = person;
  const origins = new Set<string>();
  person.context.on('request', (request) => origins.add(new URL(request.url()).origin));

  await page.goto('/');
  await page.getByRole('button', { name: 'Login to redeem your coupons' }).waitFor();
  await page.goto(`/product/${product.product_id}`);
  await see(page, product.name, product.description);
  await page.getByRole('button', { name: 'Redeem Now' }).click();
  const dialog = page.getByRole('dialog', { name: 'Sign In to Redeem' });
  await dialog.getByRole('textbox').fill('Lea@Learner.example ');
  await dialog.getByRole('button', { name: 'Send Magic Link' }).click();
  await see(page, 'Magic Link Sent!');
  expect(person.countCalls('/api/redeem-secure')).toBe(0);

  const tab = await person.openTab();
  await tab.goto((await fixture.mailbox.takeMail('lea@learner.example')).link);
  await tab.waitForURL(`**/product/${product.product_id}`);
  await see(
    tab,
    'LEA-CODE-1',
    "This code can only be used once. Visit the provider's website to redeem your offer.",
  );
  expect(await tab.evaluate(() => localStorage.getItem('authRedirectPath'))).toBeNull();
  expect(await fixture.admin.listAssignedCodes(product)).toEqual(['LEA-CODE-1 lea@learner.example']);
  // The sign-in in the new tab also signs in the tab that requested the link, which shows the same code.
  await see(page, 'LEA-CODE-1');
  expect(await fixture.admin.listAssignedCodes(product)).toEqual(['LEA-CODE-1 lea@learner.example']);
  expect([...origins]).toEqual([fixture.portal.url]);
});

test('R-PROD-15, R-PROD-16, R-PROD-17, R-PROD-18: Copy writes exactly the code to the clipboard and confirms it', async () => {
  const product = await offerProduct(fixture, { learners: ['cora@learner.example'], codes: ['CORA-CODE'] });
  const person = await openPerson(fixture);
  await arriveSignedIn(person, fixture, 'cora@learner.example', `/product/${product.product_id}`);
  const { page } = person;
  await see(page, 'CORA-CODE');

  await page.getByRole('button', { name: 'Copy' }).click();
  await see(page, 'Success!', 'Coupon code copied to clipboard', 'Copied');
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe('CORA-CODE');
  // R-PROD-18: two seconds after the click, the label of the button changes from 'Copied' back to 'Copy'.
  await page.getByRole('button', { name: 'Copy', exact: true }).waitFor();
});

test('R-PROD-20, R-PROD-21, R-PROD-22, R-PROD-23: the link to the partner opens in a new tab, with https:// added to an address without a scheme', async () => {
  const product = await offerProduct(fixture, { learners: ['vera@learner.example'], codes: ['VERA-CODE'] });
  const person = await openPerson(fixture);
  await arriveSignedIn(person, fixture, 'vera@learner.example', `/product/${product.product_id}`);
  const { page, context } = person;
  await context.route('https://partner.example/**', (route) => route.fulfill({ body: 'the partner' }));
  const link = page.getByRole('link', { name: 'Visit Site To Redeem' });
  const opened = context.waitForEvent('page');
  await link.click();
  const partner = await opened;
  await partner.waitForURL('https://partner.example/redeem');
  expect(new URL(page.url()).origin).toBe(fixture.portal.url);
  expect(await link.getAttribute('rel')).toContain('noopener');

  const whole = await fixture.admin.addProduct({ url: 'http://partner.example/as-it-is' });
  await fixture.admin.addCodes(whole, 'VERA-2');
  await fixture.admin.addLearner('vera@learner.example', whole);
  await page.goto(`/product/${whole.product_id}`);
  await see(page, 'VERA-2');
  expect(await link.getAttribute('href')).toBe('http://partner.example/as-it-is');
});

test('a reload shows the same code and issues no second one', async () => {
  const product = await offerProduct(fixture, {
    learners: ['rita@learner.example'],
    codes: ['RITA-CODE-1', 'RITA-CODE-2'],
  });
  const person = await openPerson(fixture);
  await arriveSignedIn(person, fixture, 'rita@learner.example', `/product/${product.product_id}`);
  await see(person.page, 'RITA-CODE-1');
  await person.page.reload();
  await see(person.page, 'RITA-CODE-1');
  expect(await fixture.admin.listAssignedCodes(product)).toEqual(['RITA-CODE-1 rita@learner.example']);
});

test('two learners get two codes', async () => {
  const product = await offerProduct(fixture, {
    learners: ['anna@learner.example', 'bert@learner.example'],
    codes: ['TWO-CODE-1', 'TWO-CODE-2'],
  });
  const shown: string[] = [];
  for (const email of ['anna@learner.example', 'bert@learner.example']) {
    const person = await openPerson(fixture);
    await arriveSignedIn(person, fixture, email, `/product/${product.product_id}`);
    const code = person.page.getByText(/^TWO-CODE-\d$/).first();
    shown.push((await code.textContent()) ?? '');
  }
  expect(shown.sort()).toEqual(['TWO-CODE-1', 'TWO-CODE-2']);
});

test('R-HDR-04, R-HDR-05, R-HDR-06, R-HDR-07, R-SESS-05: Logout ends the session, reloads the page, and Login is offered again', async () => {
  await offerProduct(fixture, { learners: ['lars@learner.example'], codes: ['LARS-CODE'] });
  const person = await openPerson(fixture);
  const { page } = person;
  await arriveSignedIn(person, fixture, 'lars@learner.example');
  const refreshToken = await page.evaluate(() => {
    const stored = Object.values(localStorage).find((value) => String(value).includes('refresh_token'));
    return JSON.parse(String(stored)).refresh_token as string;
  });

  const reloaded = page.waitForEvent('load');
  await page.getByRole('button', { name: 'Logout' }).click();
  await reloaded;
  await page.getByRole('banner').getByRole('button', { name: 'Login' }).waitFor();
  expect(await page.evaluate(() => JSON.stringify(localStorage))).not.toContain('refresh_token');
  const answer = await fetch(`${fixture.portal.url}/auth/v1/token?grant_type=refresh_token`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ refresh_token: refreshToken }),
  });
  expect(answer.status).toBe(400);
});
