// Runs Lighthouse's audits for best practices and SEO on home and a product page. These audits do not measure speed.
import { expect, test } from 'vitest';
import { listFailedAudits } from '../bench/lighthouse.ts';
import { offerProduct, setFixture } from './harness/fixture.ts';

const fixture = setFixture();

test('home passes every audit of best practices and SEO', async () => {
  expect(await listFailedAudits(fixture.portal.url)).toEqual([]);
});

test('a product page passes every audit of best practices and SEO', async () => {
  const { product_id } = await offerProduct(fixture, {});
  expect(await listFailedAudits(`${fixture.portal.url}/product/${product_id}`)).toEqual([]);
});
