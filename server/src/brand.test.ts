import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { brandStyles, listExampleFields, readBrand } from './brand.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'portal-brand-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function readBrandOf(content: string) {
  const file = join(folder, 'brand.json');
  await writeFile(file, content);
  return readBrand(file);
}

test('a brand file replaces what it names and leaves the rest neutral', async () => {
  const settings = await readBrandOf('{"name": "Alderquay Academy", "accent": "oklch(0.43 0.092 166)"}');
  expect(settings.brand).toMatchObject({
    name: 'Alderquay Academy',
    copyright: '© Alderquay Academy',
    perks: expect.any(Array),
  });
  expect(brandStyles(settings)).toBe(brandStyles(await readBrand(null)));
  expect(brandStyles(await readBrandOf('{"accent": "#f00"}'))).not.toBe(brandStyles(settings));
});

test('links of a brand file may be web addresses and paths of the portal', async () => {
  const links = {
    terms_url: 'HTTPS://a.example/terms',
    logo_url: '/logo.svg',
    refund_url: 'http://localhost:8080/x',
  };
  expect((await readBrandOf(JSON.stringify(links))).brand).toMatchObject(links);
});

test.each([
  ['is not JSON', '{'],
  ['accent must be a CSS colour', '{"accent": "red;} body{display:none"}'],
  ['accent must be a CSS colour', '{"accent": "reddish"}'],
  ['accent must be a CSS colour', '{"accent": "transparent"}'],
  ['perks must be a list of at most three texts, such as', '{"perks": ["a", "b", "c", "d"]}'],
  ['perks must be a list. Example: "perks": ["Priority access', '{"perks": "fast"}'],
  ['perks.0 must be a text', '{"perks": [3]}'],
  ['accent must be a text. Example: "accent": "#7a1f5c"', '{"accent": 3}'],
  ['social_links.0 must be an object', '{"social_links": ["x"]}'],
  ['name must be a text. Example: "name": "Partner Benefits"', '{"name": 3}'],
  ['the file must contain one JSON object', '[]'],
  ['there is no field nmae. The fields are name, ', '{"nmae": "x"}'],
  ['terms_url must be a web address', '{"terms_url": "javascript:alert(1)"}'],
  ['terms_url must be a web address', '{"terms_url": "mailto:a@b.example"}'],
  ['privacy_url must be a web address', '{"privacy_url": "https://a.example\\\\@b.example"}'],
  ['logo_url must be a web address', '{"logo_url": "//cdn.example/logo.svg"}'],
  ['onboarding_call_url must be a web address', '{"onboarding_call_url": "https://me:secret@a.example"}'],
  [
    'social_links.0.url must be a web address',
    '{"social_links": [{"label": "x", "url": "ftp://a.example"}]}',
  ],
])('a wrong brand file is refused with the fault: %s', async (fault, content) => {
  await expect(readBrandOf(content)).rejects.toThrow(/^BRAND_FILE /);
  await expect(readBrandOf(content)).rejects.toThrow(fault);
});

test('R-DAY-54: a portal with a domain needs a name and addresses of its own, and the example file has none', async () => {
  const url = 'https://benefits.academy.test';
  const fields = ['support_email', 'onboarding_call_url', 'social_links'];
  fields.push('terms_url', 'privacy_url', 'refund_url');
  const neutral = await readBrand(null);
  expect(listExampleFields(neutral, 'http://localhost:3000')).toEqual([]);
  expect(listExampleFields(neutral, url)).toEqual(fields);
  const example = await readBrand(resolve(import.meta.dirname, '../../brand.example.json'));
  expect(listExampleFields(example, url)).toEqual(['name', 'logo_url', ...fields, 'copyright']);
  const own = {
    ...{ support_email: 'help@academy.test', onboarding_call_url: 'https://academy.test/call' },
    ...{ terms_url: 'https://academy.test/terms', social_links: [], perks: [] },
    ...{ name: 'An academy', logo_url: '/logo.svg', share_image_url: 'https://cdn.example/share.png' },
  };
  const partly = await readBrandOf(JSON.stringify(own));
  expect(partly.brand.perks).toEqual([]);
  expect(listExampleFields(partly, url)).toEqual(['share_image_url', 'privacy_url', 'refund_url']);
});
