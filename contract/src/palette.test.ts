// Tests that only valid colours are accepted, and that the colours computed from the accent have enough contrast.
// e2e/contrast.test.ts measures the contrast on real pages.
import { describe, expect, test } from 'vitest';
import { BUILT_IN_ACCENT, chooseInk, paletteStyles, readColour } from './palette.ts';

function readPalette(accent: string): Record<string, string> {
  const declarations = paletteStyles(accent).matchAll(/--([\w-]+):(.*?)[;}]/g);
  return Object.fromEntries(Array.from(declarations, ([, name, value]) => [name, value]));
}

describe('a colour is read', () => {
  test.each([
    ['#7A1F5C', '#7a1f5c'],
    [' #fc0 ', '#ffcc00'],
    ['#7a1f5c80', '#7a1f5c'],
    ['RebeccaPurple', '#663399'],
    ['rgb(122 31 92)', '#7a1f5c'],
    ['hsl(0.5turn 100% 50%)', '#00ffff'],
    ['OKLCH(43% 0.092 166deg)', '#005f44'],
    ['color(display-p3 0 1 0)', '#00ff00'],
  ])('%s', (text, digits) => {
    expect(readColour(text)).toBe(digits);
  });

  test.each([
    '',
    'reddish',
    '#ff',
    'currentcolor',
    'canvas',
    'var(--x)',
    'transparent',
    'rgb(1e999 0 0)',
    'red;} body {',
  ])('but not %j', (text) => {
    expect(readColour(text)).toBeUndefined();
  });
});

test('text on a fill is white, or ink if white has too little contrast', () => {
  expect([chooseInk('#005f44', '#101714'), chooseInk('#ffcc00', '#101714')]).toEqual(['#ffffff', '#101714']);
});

test('a dark accent is used as the fill, with white text, and is lighter in the dark theme', () => {
  expect(readPalette(BUILT_IN_ACCENT)).toMatchObject({
    'accent-solid': 'light-dark(oklch(0.43 0.092 166),oklch(0.5 0.092 166))',
    'accent-solid-hover': 'light-dark(oklch(0.385 0.092 166),oklch(0.455 0.092 166))',
    'accent-on': 'oklch(1 0 0)',
    'accent-hole': 'var(--page)',
    'n-1': 'light-dark(oklch(0.983 0.003 166),oklch(0.165 0.006 166))',
    overlay: 'light-dark(oklch(0.2 0.012 166 / 0.44),oklch(0.06 0 0 / 0.64))',
  });
});

test('a pale accent is used as the fill, with ink text; rim and holes are darker, so that the light page shows them', () => {
  expect(readPalette('oklch(0.9 0.1 90)')).toMatchObject({
    'accent-solid': 'oklch(0.9 0.1 90)',
    'accent-solid-hover': 'oklch(0.945 0.1 90)',
    'accent-on': 'oklch(0.17 0.02 90)',
    'accent-rim': 'light-dark(oklch(0.74 0.1 90),oklch(0.9 0.1 90))',
    'accent-hole': 'light-dark(oklch(0.74 0.1 90),var(--page))',
  });
});

test.each([
  ['oklch(0.6 0.2 30)', 'oklch(0.525 0.175 30)'],
  ['oklch(0.61 0.2 30)', 'oklch(0.66 0.2 30)'],
])('%s, on which neither white nor ink is readable, is changed to %s', (accent, fill) => {
  expect(readPalette(accent)['accent-solid']).toBe(fill);
});

test.each(['#777', 'oklch(0.7 0 0)', 'lab(50% 0 0)'])(
  '%s, an accent without a hue, gives neutral greys',
  (accent) => {
    expect(readPalette(accent)).toMatchObject({
      'n-4': 'light-dark(oklch(0.918 0 0),oklch(0.285 0 0))',
      overlay: 'light-dark(oklch(0.2 0 0 / 0.44),oklch(0.06 0 0 / 0.64))',
    });
  },
);

test.each(['reddish', 'transparent', 'rgb(1e999 0 0)'])('%s has no palette', (accent) => {
  expect(() => paletteStyles(accent)).toThrow(`${accent} is not a colour`);
});
