// What people read on the home and product pages in every state: the specification's words, literally.
import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { arriveSignedIn, openPerson, see } from './harness/browser.ts';
import { offerProduct, setScene } from './harness/scene.ts';

const SUPPORT = 'support@example.org';
const NOT_REGISTERED =
  'Seems like your email is not registered. Please ensure you login with the same email you made the purchase with.';
const NO_ACCESS = `Oops! Seems like you do not have access! Please write to us at ${SUPPORT} if you think this is an error.`;

const scene = setScene();

test('the login dialog asks for an address, sends, and starts afresh with another one', async () => {
  const { page } = await openPerson(scene);
  await page.goto('/');
  await page.getByRole('button', { name: 'Login', exact: true }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('button', { name: 'Continue with Google' }).waitFor();
  await see(page, 'Or');
  await dialog.getByRole('button', { name: 'Send Magic Link' }).click();
  await see(page, 'Please enter your email address');
  await dialog.getByRole('textbox').fill('ines@learner.example');
  await dialog.getByRole('button', { name: 'Send Magic Link' }).click();
  await see(page, 'Magic Link Sent!');
  await dialog.getByRole('button', { name: 'Try with a different email' }).click();
  expect(await dialog.getByRole('textbox').inputValue()).toBe('');
});

test('an unknown product is named as such, and home comes by itself', async () => {
  for (const id of [randomUUID(), 'no-such-product', '%E0%A4%A']) {
    const person = await openPerson(scene);
    person.allowComplaint(/404/);
    await person.page.goto(`/product/${id}`);
    await see(person.page, 'Product Not Found', 'Redirecting to home page...');
    await person.page
      .getByText(/does not exist or was removed/)
      .first()
      .waitFor();
    await person.page.waitForURL((url) => url.pathname === '/');
    // the toast outlives the redirect.
    await person.page
      .getByText(/does not exist or was removed/)
      .first()
      .waitFor();
  }
});

test('a failure to load a product is not called a missing product, and can be tried again', async () => {
  const product = await offerProduct(scene, {});
  const person = await openPerson(scene);
  person.allowComplaint(/ERR_FAILED|500/);
  const { page } = person;
  await page.route('**/api/products/*', (route) => route.abort(), { times: 1 });
  await page.goto(`/product/${product.product_id}`);
  await page.getByRole('main').getByRole('button').waitFor();
  expect(await page.getByText('Product Not Found').count()).toBe(0);
  await page.getByRole('main').getByRole('button').click();
  await see(page, product.name);
});

test('an address that the portal does not know is told that it is not registered', async () => {
  const product = await offerProduct(scene, { codes: ['UNK-1'] });
  const person = await openPerson(scene);
  person.allowComplaint(/403/);
  await arriveSignedIn(person, scene, 'uwe@stranger.example', `/product/${product.product_id}`);
  await see(person.page, NOT_REGISTERED);
  expect(await scene.admin.listHeldCodes(product)).toEqual([]);
});

test('a learner without this product is told that access is restricted', async () => {
  const product = await offerProduct(scene, { codes: ['DENY-1'] });
  await offerProduct(scene, { learners: ['udo@learner.example'] });
  const person = await openPerson(scene);
  person.allowComplaint(/403/);
  await arriveSignedIn(person, scene, 'udo@learner.example', `/product/${product.product_id}`);
  await see(person.page, 'Sorry, access is restricted!', NO_ACCESS);
  expect(await scene.admin.listHeldCodes(product)).toEqual([]);
});

test('a learner who comes after the last code is told so, without a word of missing access', async () => {
  const learners = ['erst@learner.example', 'letzt@learner.example'];
  const product = await offerProduct(scene, { learners, codes: ['LAST-1'] });
  const [first, second] = [await openPerson(scene), await openPerson(scene)];
  await arriveSignedIn(first, scene, 'erst@learner.example', `/product/${product.product_id}`);
  await see(first.page, 'LAST-1');
  second.allowComplaint(/409/);
  await arriveSignedIn(second, scene, 'letzt@learner.example', `/product/${product.product_id}`);
  await see(second.page, 'No codes left');
  expect(await second.page.getByText(/access is restricted|Oops!/).count()).toBe(0);
});

test('instructions are a numbered list of their non-empty lines, with web addresses to press', async () => {
  const product = await scene.admin.addProduct({
    instructions: 'Open https://partner.example/start.\n\n   \nEnter <b>the code</b>',
  });
  const { page } = await openPerson(scene);
  await page.goto(`/product/${product.product_id}`);
  await see(page, 'How To Redeem Your Offer', 'Enter <b>the code</b>');
  const link = page.getByRole('link', { name: 'https://partner.example/start' });
  expect(await link.getAttribute('href')).toBe('https://partner.example/start');
});

test('without instructions three default steps show', async () => {
  const product = await offerProduct(scene, {});
  const { page } = await openPerson(scene);
  await page.goto(`/product/${product.product_id}`);
  await see(page, 'Login & Verify', 'Get Your Code', 'Activate Your Access');
});

test('a long name and description are cut, with an ellipsis', async () => {
  const product = await scene.admin.addProduct({ name: 'n'.repeat(51), description: 'd'.repeat(201) });
  const { page } = await openPerson(scene);
  await page.goto(`/product/${product.product_id}`);
  await see(page, `${'n'.repeat(50)}…`, `${'d'.repeat(200)}…`);
});
