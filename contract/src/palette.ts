// The colours that follow from the provider's one. Apart from the single door, so that no browser fetches the library of
// colours: the build of the pages asks it for the built-in accent, the server for that of a brand file.
import { converter, formatHex, parse } from 'culori';

/** As WCAG measures it, no colour between the two takes white or ink at 4.5:1. */
const DARKEST_UNDER_INK = 0.66;
const LIGHTEST_UNDER_WHITE = 0.525;

export const BUILT_IN_ACCENT = 'oklch(0.43 0.092 166)';

/** OKLCH: lightness 0 to 1, chroma 0 to some 0.4, hue in degrees. */
type Shade = { l: number; c: number; h: number };
type Pair = [light: string, dark: string];

// Lightness and chroma, light and dark; the hue is the accent's, so that greys have a trace of it where it has one.
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
 * The six digits of a colour in any CSS notation, `#005f44`, clipped to what mails can show; undefined when `text` is none
 * that stands for itself, as `currentcolor` and `var()` do not, or is not to be seen.
 */
export function readColour(text: string): string | undefined {
  const colour = parse(text.trim().toLowerCase());
  return colour?.alpha === 0 ? undefined : formatHex(colour);
}

/**
 * A style sheet that sets all colours of `accent`, light and dark, as variables of the page. Text, controls and focus are
 * readable in any of them (WCAG 2.2, 1.4.3 and 1.4.11). Worked out here and not by relative colours of CSS, which browsers
 * work out anew for each use: a third of the time that styling a page takes.
 *
 * @throws Error when `accent` is not a colour; see `readColour`.
 */
export function paletteStyles(accent: string): string {
  const colour = toOklch(parse(accent.trim().toLowerCase()));
  if (!colour) throw new Error(`${accent} is not a colour`);
  const { l = 0, c = 0, h = 0 } = colour;
  const trace = colour.h === undefined ? 0 : 1;
  const greys = Object.entries(GREYS).map(([name, [light, lightC, dark, darkC]]): [string, Pair] => [
    name,
    [write(light, lightC * trace, h), write(dark, darkC * trace, h)],
  ]);
  const declarations = [...greys, ...Object.entries(listAccents({ l, c, h }))].map(
    ([name, [light, dark]]) => `--${name}:${light === dark ? light : `light-dark(${light},${dark})`}`,
  );
  return `:root{${declarations.join(';')}}`;
}

function listAccents({ l, c, h }: Shade): Record<string, Pair> {
  const solid = { light: toSolid({ l, c, h }, 0), dark: toSolid({ l, c, h }, 0.5) };
  return {
    'accent-solid': [writeShade(solid.light), writeShade(solid.dark)],
    'accent-solid-hover': [hover(solid.light), hover(solid.dark)],
    'accent-on': [onSolid(solid.light), onSolid(solid.dark)],
    'accent-rim': [rimOf(solid.light), writeShade(solid.dark)],
    'accent-text': [
      write(Math.min(l, 0.46), Math.min(c, 0.17), h),
      write(Math.max(l, 0.79), Math.min(c, 0.13), h),
    ],
    'accent-graphic': [write(Math.min(l, 0.57), Math.min(c, 0.22), h), write(Math.max(l, 0.62), c, h)],
    'accent-soft': [write(0.953, Math.min(c * 0.22, 0.028), h), write(0.265, Math.min(c * 0.4, 0.045), h)],
    'accent-line': [write(0.855, Math.min(c * 0.45, 0.06), h), write(0.4, Math.min(c * 0.6, 0.07), h)],
    overlay: [write(0.2, 0.012, h, 0.44), write(0.06, 0, h, 0.64)],
  };
}

/**
 * The accent itself, moved only where neither white nor ink could be read on it. No darker than `least`: in the dark theme a
 * solid keeps 3:1 to the page.
 */
function toSolid({ l, c, h }: Shade, least: number): Shade {
  if (takesInk(l)) return { l: Math.max(l, DARKEST_UNDER_INK), c, h };
  const lightness = Math.min(Math.max(l, least), LIGHTEST_UNDER_WHITE);
  return { l: lightness, c: l > LIGHTEST_UNDER_WHITE ? (c * LIGHTEST_UNDER_WHITE) / l : c, h };
}

function takesInk(lightness: number): boolean {
  return lightness > 0.6;
}

function hover({ l, c, h }: Shade): string {
  return write(l + (takesInk(l) ? 0.045 : -0.045), c, h);
}

function onSolid({ l, c, h }: Shade): string {
  return takesInk(l) ? write(0.17, Math.min(c, 0.02), h) : write(1, 0, h);
}

/** Around what is of the accent: seen only where that is so pale that it would have no edge on a light page. */
function rimOf({ l, c, h }: Shade): string {
  return write(l > 0.82 ? l - 0.16 : l, c, h);
}

function writeShade({ l, c, h }: Shade): string {
  return write(l, c, h);
}

function write(l: number, c: number, h: number, alpha = 1): string {
  const shade = `${round(l, 4)} ${round(c, 4)} ${c === 0 ? 0 : round(h, 2)}`;
  return `oklch(${shade}${alpha === 1 ? '' : ` / ${alpha}`})`;
}

function round(value: number, digits: number): number {
  return Number(value.toFixed(digits));
}
