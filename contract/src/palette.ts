// Derives all colours of the pages from the provider's accent colour. Not exported from index.ts, so that no browser
// downloads the colour library.
import { type Color, converter, formatHex, parse, wcagContrast } from 'culori';

// Least contrast of text (WCAG 2.2, 1.4.3).
const LEAST_CONTRAST = 4.5;
/**
 * Lightness limits of fills. Text on fills lighter than LIGHT is dark ink, on others white. Between the two limits
 * below neither has enough contrast, so no fill stays there.
 */
const LIGHT = 0.6;
const DARKEST_UNDER_INK = 0.66;
const LIGHTEST_UNDER_WHITE = 0.525;
/**
 * Colours with a higher lightness hardly differ from the light page. A shape filled with such a colour gets a rim, and its
 * holes have the rim's colour.
 */
const PALE = 0.82;
const PAGE = 'var(--page)';
/** Colours with less chroma are grey: their hue is only a rounding error of the conversion. */
const LEAST_CHROMA = 0.002;

/** Default accent, a dark green, for providers who set none. */
export const BUILT_IN_ACCENT = 'oklch(0.43 0.092 166)';

/** OKLCH: lightness 0 to 1, chroma 0 to about 0.4, hue in degrees. */
type Shade = { l: number; c: number; h: number };
type Pair = [light: string, dark: string];

// Each grey as lightness and chroma for the light theme, then for the dark theme. All take the accent's hue, so they
// are slightly tinted.
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
 * Returns a CSS colour as six hex digits, for example `#005f44`, clipped to sRGB for mails. Returns undefined for text
 * that is no numeric or named colour (`currentcolor`, `var()`) and for a fully transparent colour. Partial transparency
 * is ignored.
 */
export function readColour(text: string): string | undefined {
  return formatHex(parseVisible(text));
}

/** Returns white if it has enough contrast on `fill` (six hex digits), else `ink`. */
export function chooseInk(fill: string, ink: string): string {
  return wcagContrast(fill, '#ffffff') >= LEAST_CONTRAST ? '#ffffff' : ink;
}

/**
 * Returns a style sheet that sets all colours derived from `accent`, light and dark, as CSS variables. Text, controls
 * and focus have enough contrast with any accent (WCAG 2.2, 1.4.3 and 1.4.11). The server computes the colours because
 * browsers compute relative CSS colours for each use, which took a third of the styling time.
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
 * Returns the accent, with its lightness changed only if neither white nor ink has enough contrast on it. `least` is
 * the smallest lightness: in the dark theme a fill keeps a contrast of 3:1 to the page.
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

/** Colour of the edge around a fill; darker than the fill only if the fill is pale. */
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
