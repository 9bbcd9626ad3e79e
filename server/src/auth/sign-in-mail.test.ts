// Tests the sign-in mail: text and HTML have the same content, and brand texts such as the name are escaped in HTML.
import type { Language } from '@portal/contract';
import { describe, expect, test } from 'vitest';
import { chooseMailColours } from '../mail/mail-frame.ts';
import { createMailWriter, describeLife, writeSignInMail } from './sign-in-mail.ts';

const LINK = 'https://portal.example.org/auth/v1/confirm?token_hash=x&type=magiclink&redirect_to=y';

function write(
  brand = { name: 'Alderquay', accent: '#7a1f5c', support_email: 'help@example.org' },
  language: Language = 'en',
) {
  return writeSignInMail({ language, brand, link: LINK, code: '012345', linkSeconds: 3600 });
}

test('text and HTML contain link, code, their life and the support address', () => {
  const { subject, text, html } = write();
  expect(subject).toBe('Sign in to Alderquay');
  for (const form of [text, html.replaceAll('&amp;', '&')]) {
    expect(form).toContain(LINK);
    expect(form).toContain('012345');
    expect(form).toContain('1 hour');
    expect(form).toContain('help@example.org');
  }
  expect(text.split('\n')).toContain('012345');
  expect(text.split('\n')).toContain(LINK);
});

test('the mail is completely in the language of the request', () => {
  const brand = { name: 'Alderquay', accent: '#7a1f5c', support_email: 'help@example.org' };
  const [english, german] = [write(brand), write(brand, 'de')];
  expect(german.subject).toBe('Bei Alderquay anmelden');
  expect(german.text).toContain('Link und Code gelten nur einmal und nur 1 Stunde lang.');
  expect(german.html).toContain('<html lang="de" ');
  const lines = english.text
    .split('\n')
    .filter((line) => german.text.split('\n').includes(line) && line !== '');
  expect(lines).toEqual([LINK, '012345']);
  const words = (html: string) =>
    (html.match(/>[^<>]*\p{L}[^<>]*</gu) ?? []).filter((text) => !/[{@]|>Alderquay</.test(text));
  expect(words(english.html).length).toBeGreaterThan(6);
  expect(words(english.html).filter((text) => german.html.includes(text))).toEqual([]);
});

test('the cached mail with values filled in equals a newly written one', () => {
  const brand = { name: 'Alderquay', accent: '#7a1f5c', support_email: 'help@example.org' };
  const fill = createMailWriter({ brand, linkSeconds: 3600 });
  for (const [language, link, code] of [
    ['en', 'https://portal.example.org/?a=1&b=$&', '012345'],
    ['en', 'https://portal.example.org/?a=2&b=$1', '543210'],
    ['de', 'https://portal.example.org/?a=3', '999999'],
  ] as const) {
    expect(fill({ language, link, code })).toEqual(
      writeSignInMail({ language, link, code, brand, linkSeconds: 3600 }),
    );
  }
});

test('the subject, which a locked screen shows, does not contain the code', () => {
  expect(write().subject).not.toContain('012345');
});

test('texts of the brand are escaped', () => {
  const { html } = write({ name: '<img src=x>&"', accent: '"><b>', support_email: '<i>' });
  expect(html).not.toContain('<img');
  expect(html).not.toContain('<i>');
  expect(html).not.toContain('"><b>');
});

test.each([
  [3600, '1 hour'],
  [7200, '2 hours'],
  [5400, '90 minutes'],
  [86_400, '1 day'],
  [60, '1 minute'],
  [90, '90 seconds'],
  [1, '1 second'],
])('%d seconds are %s', (seconds, words) => {
  expect(describeLife(seconds, 'en')).toBe(words);
});

describe('the button', () => {
  test.each([
    ['#7a1f5c', '#7a1f5c', '#ffffff'],
    ['#FC0', '#ffcc00', '#101714'],
    ['oklch(0.43 0.092 166)', '#005f44', '#ffffff'],
    ['oklch(100% 0 0)', '#ffffff', '#101714'],
    ['rebeccapurple', '#663399', '#ffffff'],
    ['var(--x)', '#101714', '#ffffff'],
  ])('with accent %s is %s, with readable text in %s', (accent, fill, onFill) => {
    expect(chooseMailColours(accent)).toEqual({ fill, onFill });
  });
});
