// Who gets to the administrators' pages, and how they sign in.
import { expect, test } from 'vitest';
import { arriveSignedIn, openPerson, see } from './harness/browser.ts';
import { ADMIN_EMAIL } from './harness/portal.ts';
import { setScene } from './harness/scene.ts';

const scene = setScene();
const GUARDED = ['/admin', '/admin/products', '/admin/users', '/admin/coupons'];
const ADMINS_ONLY = 'Sorry, this space is for admins only. Seems like you do not have access.';

test.each(GUARDED)('%s leads visitors to the admin sign-in and learners away', async (path) => {
  const visitor = await openPerson(scene);
  await visitor.page.goto(path);
  await visitor.page.waitForURL('**/admin-login');
  await see(visitor.page, 'Access is restricted to admin users only.');

  const learner = await openPerson(scene);
  learner.allowComplaint(/403/);
  await arriveSignedIn(learner, scene, 'lea@learner.example');
  await learner.page.goto(path);
  await learner.page.waitForURL('**/admin-access-restricted');
  await see(learner.page, ADMINS_ONLY);
  expect(await learner.page.getByRole('navigation', { name: 'Admin' }).count()).toBe(0);
});

test('a 200 that does not name an administrator does not pass', async () => {
  const person = await openPerson(scene);
  await arriveSignedIn(person, scene, ADMIN_EMAIL);
  await person.page.route('**/api/admin/check', (route) =>
    route.fulfill({ json: { success: true, user: { id: '1', email: ADMIN_EMAIL, user_role: 'user' } } }),
  );
  await person.page.goto('/admin');
  await person.page.waitForURL('**/admin-access-restricted');
});

test('the link of the admin sign-in ends on the dashboard, which leads everywhere', async () => {
  const person = await openPerson(scene);
  const { page } = person;
  await page.goto('/admin-login');
  await page.getByRole('button', { name: 'Send Magic Link' }).click();
  await see(page, 'Error', 'Please enter your email address');
  await page.getByLabel('Email').fill(ADMIN_EMAIL);
  await page.getByRole('button', { name: 'Send Magic Link' }).click();
  await see(page, 'Magic Link Sent', 'Check Your Email', ADMIN_EMAIL);
  await see(
    page,
    'A magic link has been sent to your email. Please check your inbox and click the link to login.',
  );
  expect(await page.evaluate(() => localStorage.getItem('authRedirectPath'))).toBe('/admin');
  await page.getByRole('button', { name: 'Use a different email' }).click();
  await page.getByLabel('Email').fill(ADMIN_EMAIL);
  await scene.mailbox.takeMail(ADMIN_EMAIL);
  await page.getByRole('button', { name: 'Send Magic Link' }).click();
  await scene.mailbox.takeMail(ADMIN_EMAIL);
  await page.getByRole('button', { name: 'Resend magic link' }).click();

  const tab = await person.openTab();
  await tab.goto((await scene.mailbox.takeMail(ADMIN_EMAIL)).link);
  await tab.waitForURL('**/admin');
  const nav = tab.getByRole('navigation', { name: 'Admin' });
  await nav.waitFor();
  expect(await nav.getByRole('link').allTextContents()).toEqual([
    'Dashboard',
    'Products',
    'Users',
    'Coupons',
    'Back to Website',
  ]);
  // The tab that asked is signed in as well.
  await page.waitForURL('**/admin');
  await nav.getByRole('link', { name: 'Back to Website' }).click();
  await tab.waitForURL((url) => url.pathname === '/');
  expect(await tab.getByRole('navigation', { name: 'Admin' }).count()).toBe(0);
});

test('who is signed in has no use for the admin sign-in', async () => {
  const admin = await openPerson(scene);
  await arriveSignedIn(admin, scene, ADMIN_EMAIL);
  await admin.page.goto('/admin-login');
  await admin.page.waitForURL('**/admin');

  const learner = await openPerson(scene);
  learner.allowComplaint(/403/);
  await arriveSignedIn(learner, scene, 'lea@learner.example');
  await learner.page.goto('/admin-login');
  await learner.page.waitForURL('**/admin-access-restricted');
});

test('Google that is not configured is told, after the way back was saved', async () => {
  const { page } = await openPerson(scene);
  await page.goto('/admin-login');
  await page.getByRole('button', { name: 'Continue with Google' }).click();
  await see(page, 'Login Failed', 'Failed to login with Google');
  expect(await page.evaluate(() => localStorage.getItem('authRedirectPath'))).toBe('/admin');
});
