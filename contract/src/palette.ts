// Computes all colours of the pages from the academy's accent colour. index.ts does not export this module, because
// browsers must not download the library culori.
import { type Color, converter, formatHex, parse, wcagContrast } from 'culori';

// Minimum contrast of text (WCAG 2.2, 1.4.3).
const LEAST_CONTRAST = 4.5;
/**
 * Limits for the lightness of a fill colour, from 0 (black) to 1 (white), so that text on the fill has enough contrast.
 * A fill lighter than LIGHT gets nearly black text ("ink") and at least the lightness DARKEST_UNDER_INK. Any other fill
 * gets white text and at most the lightness LIGHTEST_UNDER_WHITE.
 */
const LIGHT = 0.6;
const DARKEST_UNDER_INK = 0.66;
const LIGHTEST_UNDER_WHITE = 0.525;
/** In the light theme, buttons and tickets with a lightness above PALE get a darker rim, to differ from the page. */
const PALE = 0.82;
const PAGE = 'var(--page)';
/** A colour with less chroma counts as grey, because the hue of such a colour is only a rounding error. */
const LEAST_CHROMA = 0.002;

/** Default accent colour: a dark green. */
export const BUILT_IN_ACCENT = 'oklch(0.43 0.092 166)';

/** A colour in OKLCH: lightness from 0 to 1, chroma from 0 to about 0.4, hue in degrees. */
type Shade = { l: number; c: number; h: number };
type Pair = [light: string, dark: string];

// The greys of the pages: lightness and chroma in the light theme, then in the dark theme. All greys have the hue of
// the accent.
const GREYS: Record<string, [number, number, number, number]> = {
  'n-0': [1, 0, 0.205, 0.007],
  'n-1': [0.983, 0.003, 0.165, 0.006],
  'n-2': [0.968, 0.004, 0.19, 0.007],
  'n-3': [0.946, 0.005, 0.24, 0.008],
  'n-4': [0.918, 0.006, 0.285, 0.009],
  'n-5': [0.88, 0.007, 0.325, 0.01],
  'n-6': [0.81, 0.008, 0.385, 0.01],
  'n-7': [0.72, 0.009, 0.46, 0.011],
  'n-8': [0.625, 0.01, 0.56, 0.011],
  'n-9': [0.515, 0.011, 0.68, 0.01],
  'n-10': [0.405, 0.011, 0.785, 0.009],
  'n-11': [0.29, 0.011, 0.88, 0.007],
  'n-12': [0.195, 0.011, 0.962, 0.005],
  raised: [1, 0, 0.235, 0.008],
  hover: [0.968, 0.004, 0.238, 0.008],
};

const toOklch = converter('oklch');

/**
 * Converts a CSS colour to six hex digits, for example `#005f44`, for mails. Clips the colour to sRGB and ignores partial
 * transparency. Returns undefined for a fully transparent colour, and for text that is neither a numeric nor a named
 * colour, for example `currentcolor` or `var(--x)`.
 */
export function readColour(text: string): string | undefined {
  return formatHex(parseVisible(text));
}

/** Returns the text colour for the background `fill` (six hex digits): white if its contrast suffices, else `ink`. */
export function chooseInk(fill: string, ink: string): string {
  return wcagContrast(fill, '#ffffff') >= LEAST_CONTRAST ? '#ffffff' : ink;
}

/**
 * Returns a style sheet that defines all colours of the pages as CSS variables, for the light and the dark theme. With
 * any `accent`, text, controls and focus rings have enough contrast (WCAG 2.2, 1.4.3 and 1.4.11).
 * @throws Error if `accent` is not a colour; see `readColour`.
 */
export function paletteStyles(accent: string): string {
  const colour = parseVisible(accent);
  if (!colour) throw new Error(`${accent} is not a colour`);
  const { l = 0, c = 0, h = 0 } = toOklch(colour);
  const trace = c < LEAST_CHROMA ? 0 : 1;
  const grey = (lightness: number, chroma: number, alpha?: number) =>
    write({ l: lightness, c: chroma * trace, h }, alpha);
  const greys = Object.entries(GREYS).map(([name, [light, lightC, dark, darkC]]): [string, Pair] => [
    name,
    [grey(light, lightC), grey(dark, darkC)],
  ]);
  const overlay: [string, Pair] = ['overlay', [grey(0.2, 0.012, 0.44), grey(0.06, 0, 0.64)]];
  const declarations = [...greys, ...Object.entries(listAccents({ l, c, h })), overlay].map(
    ([name, [light, dark]]) => `--${name}:${light === dark ? light : `light-dark(${light},${dark})`}`,
  );
  return `:root{${declarations.join(';')}}`;
}

function parseVisible(text: string): Color | undefined {
  const colour = parse(text.trim().toLowerCase());
  const channels = Object.values(colour ?? {}).filter((value) => typeof value === 'number');
  return colour?.alpha === 0 || !channels.every(Number.isFinite) ? undefined : colour;
}

function listAccents({ l, c, h }: Shade): Record<string, Pair> {
  const [light, dark] = [toSolid({ l, c, h }, 0), toSolid({ l, c, h }, 0.5)];
  return {
    'accent-solid': [write(light), write(dark)],
    'accent-solid-hover': [write(toHover(light)), write(toHover(dark))],
    'accent-on': [write(toText(light)), write(toText(dark))],
    'accent-rim': [write(toRim(light)), write(dark)],
    'accent-hole': [light.l > PALE ? write(toRim(light)) : PAGE, PAGE],
    'accent-text': [
      write({ l: Math.min(l, 0.46), c: Math.min(c, 0.17), h }),
      write({ l: Math.max(l, 0.79), c: Math.min(c, 0.13), h }),
    ],
    'accent-graphic': [
      write({ l: Math.min(l, 0.57), c: Math.min(c, 0.22), h }),
      write({ l: Math.max(l, 0.62), c, h }),
    ],
    'accent-soft': [
      write({ l: 0.953, c: Math.min(c * 0.22, 0.028), h }),
      write({ l: 0.265, c: Math.min(c * 0.4, 0.045), h }),
    ],
    'accent-line': [
      write({ l: 0.855, c: Math.min(c * 0.45, 0.06), h }),
      write({ l: 0.4, c: Math.min(c * 0.6, 0.07), h }),
    ],
  };
}

/**
 * Returns the accent as a fill colour on which white or dark text has enough contrast. The lightness is at least `least`,
 * so that a fill in the dark theme has a contrast of 3:1 to the page.
 */
function toSolid({ l, c, h }: Shade, least: number): Shade {
  if (l > LIGHT) return { l: Math.max(l, DARKEST_UNDER_INK), c, h };
  const lightness = Math.min(Math.max(l, least), LIGHTEST_UNDER_WHITE);
  return { l: lightness, c: l > LIGHTEST_UNDER_WHITE ? (c * LIGHTEST_UNDER_WHITE) / l : c, h };
}

function toHover({ l, c, h }: Shade): Shade {
  return { l: l + (l > LIGHT ? 0.045 : -0.045), c, h };
}

function toText({ l, c, h }: Shade): Shade {
  return l > LIGHT ? { l: 0.17, c: Math.min(c, 0.02), h } : { l: 1, c: 0, h };
}

/** Returns the colour of the edge of a fill: darker if the fill is pale, else the fill itself. */
function toRim({ l, c, h }: Shade): Shade {
  return { l: l > PALE ? l - 0.16 : l, c, h };
}

function write({ l, c, h }: Shade, alpha = 1): string {
  const shade = `${round(l, 4)} ${round(c, 4)} ${c === 0 ? 0 : round(h, 2)}`;
  return `oklch(${shade}${alpha === 1 ? '' : ` / ${alpha}`})`;
}

function round(value: number, digits: number): number {
  return Number(value.toFixed(digits));
}
