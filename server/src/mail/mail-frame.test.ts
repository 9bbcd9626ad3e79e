// Tests that frame.html is what MJML makes of frame.mjml, and that the frame is filled in whole.
import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { compileMailFrame, FRAME_FILE } from '../../test/compile-mail-frame.ts';
import { frameMail } from './mail-frame.ts';

test('frame.html is compiled from frame.mjml; if it is not, run `npm run mail-frame`', async () => {
  expect(await compileMailFrame()).toBe(await readFile(FRAME_FILE, 'utf8'));
});

test('a mail has every part, escaped, no placeholder is left, and nothing is loaded from elsewhere', () => {
  const html = frameMail({
    language: 'en',
    brand: { name: 'A & {{link}}', accent: '#1a7f5a', support_email: 'help@example.org' },
    ...{
      title: 'Title <1>',
      lead: 'Lead',
      items: ['One', 'Two'],
      button: 'Press',
      link: 'https://portal.example/?a&b',
    },
    ...{ middle: '<p>Middle</p>', small: ['Small', ''] },
  });
  for (const part of [
    'A &amp; {{link}}',
    'Title &lt;1&gt;',
    '>Lead<',
    '<li>One</li>',
    '<p>Middle</p>',
    '>Small<',
  ])
    expect(html).toContain(part);
  expect(html.replace('A &amp; {{link}}', '')).not.toMatch(/\{\{|#f0000/);
  expect(html.match(/https?:[^"]*/g)).toEqual([
    'http://www.w3.org/1999/xhtml',
    'https://portal.example/?a&amp;b',
  ]);
});
