// Tests requests whose body is too large, or is no JSON.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openTestApp, type TestApp } from '../../test/open-test-app.ts';

let portal: TestApp;
let learner: string;

beforeAll(async () => {
  portal = await openTestApp();
  learner = await portal.signIn('amara@example.org');
});
afterAll(() => portal.close());

test('A-77: a body of more than 100 kB gets a 413 that states the limit', async () => {
  const { status, body } = await portal.call('POST', '/api/redeem-secure', {
    token: learner,
    body: { productId: 'x'.repeat(120_000) },
  });
  expect(status).toBe(413);
  expect(body).toMatchObject({ message: 'The request must not be larger than 100 kB' });
});

test('a body that is not JSON gets 400, another content type 415', async () => {
  const send = (contentType: string, payload: string) =>
    portal.app.inject({
      method: 'POST',
      url: '/api/redeem-secure',
      headers: { authorization: `Bearer ${learner}`, 'content-type': contentType },
      payload,
    });
  expect((await send('application/json', '{')).statusCode).toBe(400);
  expect((await send('application/json', '')).statusCode).toBe(400);
  expect((await send('text/plain', '{"productId":"x"}')).statusCode).toBe(415);
});
