// Tests the page that describes the API.
import { expect, test } from 'vitest';
import { openPerson, see } from './harness/browser.ts';
import { setFixture } from './harness/fixture.ts';

const fixture = setFixture();

test('the API is described at /api/docs, under the content security policy of every page and without requests to other sites', async () => {
  const person = await openPerson(fixture);
  const { page } = person;
  // Swagger UI sets an inline style, which the Content Security Policy blocks. The page works without this style.
  person.allowComplaint(/inline style.*swagger-ui-bundle/);
  const elsewhere: string[] = [];
  page.on('request', (request) => {
    const url = request.url();
    if (!url.startsWith(fixture.portal.url) && !url.startsWith('data:')) elsewhere.push(url);
  });
  await page.goto('/api/docs');
  await see(page, '/api/redeem-secure');
  await page.getByText('/api/redeem-secure').click();
  await page.getByText('Request body').waitFor();
  expect(elsewhere).toEqual([]);
});
