// Draws the preview image for shared links (share.png) and the icon for old browsers (favicon.ico) into web/public.
// Run with `node e2e/take-sharing-pictures.ts`.
import { readFile, writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { type Browser, chromium } from 'playwright-core';
import { drawRosette } from '../web/src/ui/rosette-shape.ts';

const ROOT = resolve(import.meta.dirname, '..');
const PUBLIC = resolve(ROOT, 'web/public');
const ICON_PIXELS = 32;
const ICON_HEAD_BYTES = 22;

// Colours of the neutral brand.
const PAGE = '#f8faf9';
const ACCENT = '#005f44';
const LINES = '#3d8a70';

const browser = await chromium.launch({ executablePath: process.env.CHROMIUM_PATH ?? '/usr/bin/chromium' });
try {
  await writeFile(`${PUBLIC}/share.png`, await takePicture(browser, drawTicket(), 1200, 630, PAGE));
  const icon = await readFile(resolve(ROOT, 'web/public/icon.svg'), 'utf8');
  const picture = await takePicture(browser, icon, ICON_PIXELS, ICON_PIXELS, 'transparent');
  await writeFile(`${PUBLIC}/favicon.ico`, wrapIcon(picture));
} finally {
  await browser.close();
}

async function takePicture(from: Browser, svg: string, width: number, height: number, background: string) {
  const page = await from.newPage({ viewport: { width, height } });
  await page.setContent(
    `<style>body{margin:0;background:${background}}svg{display:block;width:100vw;height:100vh}</style>${svg}`,
  );
  return page.screenshot({ omitBackground: true });
}

/** Returns the SVG of a ticket with a perforated stub and the portal's rosette. */
function drawTicket(): string {
  const { outer, inner, outerCopies, innerTurns } = drawRosette('login', 'small');
  const copies = [
    ...outerCopies.map(({ scale, turn }) => ({ path: outer, turn, scale })),
    ...innerTurns.map((turn) => ({ path: inner, turn, scale: 1 })),
  ].map(
    ({ path, turn, scale }) =>
      `<path d="${path}" vector-effect="non-scaling-stroke" transform="rotate(${turn}) scale(${scale})"/>`,
  );
  const ticket =
    'M180 135h840a40 40 0 0 1 40 40v106a34 34 0 0 0 0 68v106a40 40 0 0 1 -40 40h-840a40 40 0 0 1 -40 -40v-106a34 34 0 0 0 0 -68v-106a40 40 0 0 1 40 -40Z';
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1200 630">
    <path fill="${ACCENT}" d="${ticket}"/>
    <g fill="none" stroke="${LINES}" stroke-width="1.5" transform="translate(450 315) scale(0.3)">${copies.join('')}</g>
    <path fill="none" stroke="${PAGE}" stroke-width="8" stroke-linecap="round" stroke-dasharray="0 22" d="M800 157V480"/>
  </svg>`;
}

/** Returns an .ico file that contains the PNG. */
function wrapIcon(png: Buffer): Buffer {
  const head = Buffer.alloc(ICON_HEAD_BYTES);
  head.writeUInt16LE(1, 2);
  head.writeUInt16LE(1, 4);
  head.writeUInt8(ICON_PIXELS, 6);
  head.writeUInt8(ICON_PIXELS, 7);
  head.writeUInt16LE(1, 10);
  head.writeUInt16LE(32, 12);
  head.writeUInt32LE(png.length, 14);
  head.writeUInt32LE(ICON_HEAD_BYTES, 18);
  return Buffer.concat([head, png]);
}
