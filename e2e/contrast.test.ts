// Tests that every accent colour of a provider keeps text, drawings and focus rings readable in both themes (WCAG 2.2,
// 1.4.3 and 1.4.11).
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { paletteStyles } from '@portal/contract/palette';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openBrowser } from './harness/browser.ts';

const TOKENS = join(import.meta.dirname, '../web/src/styles/tokens.css');
const TEXT = 4.5;
const DRAWING = 3;
/**
 * Minimum contrast of the edges of buttons. WCAG sets no minimum for these edges, because the text identifies a button.
 */
const EDGE = 1.3;

const on = (foregrounds: string[], backgrounds: string[], least: number) =>
  foregrounds.flatMap((foreground) => backgrounds.map((background) => ({ foreground, background, least })));

const PAIRS = [
  ...on(['ink'], ['page', 'surface', 'sunken', 'raised', 'hover', 'accent-soft', 'danger-soft'], TEXT),
  ...on(['ink-2'], ['page', 'surface', 'sunken', 'raised', 'hover', 'accent-soft', 'n-3'], TEXT),
  ...on(['ink-3'], ['page', 'surface', 'sunken', 'raised', 'hover', 'n-3'], TEXT),
  // In the dark theme, the selected option of a list control has text of colour `ink` on `n-6`.
  ...on(['ink'], ['n-6'], TEXT),
  ...on(['accent-text'], ['page', 'surface', 'raised', 'sunken', 'accent-soft', 'danger-soft'], TEXT),
  ...on(['accent-on'], ['accent-solid', 'accent-solid-hover'], TEXT),
  ...on(['on-ink'], ['ink', 'ink-hover'], TEXT),
  ...on(['on-danger'], ['danger-solid'], TEXT),
  ...on(['success-text'], ['success-soft'], TEXT),
  ...on(['warning-text'], ['warning-soft'], TEXT),
  ...on(['danger-text'], ['danger-soft', 'surface', 'raised'], TEXT),
  ...on(['line-control'], ['page', 'surface', 'raised', 'sunken'], DRAWING),
  ...on(['focus'], ['page', 'surface', 'raised', 'accent-soft', 'danger-soft'], DRAWING),
  ...on(['accent-graphic'], ['page', 'surface'], DRAWING),
  ...on(['accent-rim'], ['page', 'surface'], EDGE),
  ...on(['accent-hole'], ['accent-solid'], EDGE),
  ...on(['warning-solid', 'danger-solid'], ['surface'], DRAWING),
];

// The tested accent colours: black, white and grey; hues around the colour wheel, each vivid, pale and dark; and
// colours outside of sRGB.
const WHEEL = [0, 30, 60, 90, 120, 150, 180, 210, 240, 270, 300, 330];
const ACCENTS = [
  '#000',
  '#fff',
  '#777',
  '#fffde0',
  '#0a0a0a',
  '#ff0000',
  ...WHEEL.flatMap((hue) => [`hsl(${hue} 100% 50%)`, `hsl(${hue} 90% 92%)`, `hsl(${hue} 90% 12%)`]),
  'color(display-p3 1 0 0)',
  'color(display-p3 0 1 0)',
  'color(display-p3 0 0 1)',
];

let browser: Browser;
beforeAll(async () => {
  browser = await openBrowser();
});
afterAll(() => browser.close());

test.each(['light', 'dark'])(
  'any accent keeps text, controls, marks and focus readable in %s',
  async (theme) => {
    const page = await browser.newPage();
    await page.setContent(`<style>${await readFile(TOKENS, 'utf8')}</style>`);
    const palettes = ACCENTS.map((accent) => ({ accent, styles: paletteStyles(accent) }));
    const tooWeak = await page.evaluate(findWeakPairs, { theme, palettes, pairs: PAIRS });
    expect(tooWeak).toEqual([]);
  },
);

type Check = { theme: string; palettes: { accent: string; styles: string }[]; pairs: typeof PAIRS };

/**
 * Runs in the page. Paints each colour and reads the pixel, because only the browser knows how it maps colours outside
 * of sRGB. Returns the pairs below the minimum contrast.
 */
function findWeakPairs({ theme, palettes, pairs }: Check): string[] {
  const root = document.documentElement;
  root.dataset.theme = theme;
  const brush = new OffscreenCanvas(1, 1).getContext('2d', { willReadFrequently: true });
  if (!brush) throw new Error('there is nothing to paint on');
  const linear = (value: number) => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4);
  const sample = document.body.appendChild(document.createElement('i'));
  const readLuminance = (token: string) => {
    sample.style.backgroundColor = `var(--${token})`;
    brush.fillStyle = getComputedStyle(sample).backgroundColor;
    brush.fillRect(0, 0, 1, 1);
    const [red = 0, green = 0, blue = 0] = brush.getImageData(0, 0, 1, 1).data;
    return 0.2126 * linear(red / 255) + 0.7152 * linear(green / 255) + 0.0722 * linear(blue / 255);
  };
  const brand = document.head.appendChild(document.createElement('style'));
  return palettes.flatMap(({ accent, styles }) => {
    brand.textContent = styles;
    return pairs.flatMap(({ foreground, background, least }) => {
      const [dark = 0, light = 0] = [readLuminance(foreground), readLuminance(background)].sort(
        (a, b) => a - b,
      );
      const ratio = (light + 0.05) / (dark + 0.05);
      return ratio < least ? [`${accent}: ${foreground} on ${background} ${ratio.toFixed(2)}`] : [];
    });
  });
}
