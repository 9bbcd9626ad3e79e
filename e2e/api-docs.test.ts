// The description of the calls, as a page.
import { expect, test } from 'vitest';
import { openPerson, see } from './harness/browser.ts';
import { setScene } from './harness/scene.ts';

const scene = setScene();

test('the calls can be read at /api/docs, under the policy of every page and without asking another site', async () => {
  const person = await openPerson(scene);
  const { page } = person;
  // It sets a style that it can do without.
  person.allowComplaint(/inline style.*swagger-ui-bundle/);
  const elsewhere: string[] = [];
  page.on('request', (request) => {
    const url = request.url();
    if (!url.startsWith(scene.portal.url) && !url.startsWith('data:')) elsewhere.push(url);
  });
  await page.goto('/api/docs');
  await see(page, '/api/redeem-secure');
  await page.getByText('/api/redeem-secure').click();
  await page.getByText('Request body').waitFor();
  expect(elsewhere).toEqual([]);
});
