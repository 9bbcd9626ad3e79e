// The provider's accent in the one notation that every mail client reads, and the ink that is legible on it.

const INK = '#101714';
const HEX = /^#(?:([0-9a-f])([0-9a-f])([0-9a-f])|([0-9a-f]{6}))$/i;
const OKLCH = /^oklch\(\s*([\d.]+)(%?)\s+([\d.]+)\s+([\d.]+)(?:deg)?\s*\)$/i;
// WCAG 2.2, 1.4.3.
const LEAST_CONTRAST = 4.5;

export type MailColours = { fill: string; onFill: string };

/** Colours for a button in a mail; an accent in a notation that is not read here gives way to ink. */
export function chooseMailColours(accent: string): MailColours {
  const fill = readHex(accent.trim()) ?? readOklch(accent.trim()) ?? INK;
  return { fill, onFill: contrastWithWhite(fill) >= LEAST_CONTRAST ? '#ffffff' : INK };
}

function readHex(accent: string): string | null {
  const match = HEX.exec(accent);
  if (match === null) return null;
  const [, r, g, b, full] = match;
  return `#${full ?? `${r}${r}${g}${g}${b}${b}`}`.toLowerCase();
}

// CSS Color 4: OKLCH -> OKLab -> linear sRGB -> sRGB, clipped to the gamut.
function readOklch(accent: string): string | null {
  const match = OKLCH.exec(accent);
  if (match === null) return null;
  const lightness = Number(match[1]) / (match[2] === '%' ? 100 : 1);
  const chroma = Number(match[3]);
  const hue = (Number(match[4]) * Math.PI) / 180;
  const [a, b] = [chroma * Math.cos(hue), chroma * Math.sin(hue)];
  const l = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const m = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const s = (lightness - 0.0894841775 * a - 1.291485548 * b) ** 3;
  const linear = [
    4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
    -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
    -0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s,
  ];
  return `#${linear
    .map((value) =>
      Math.round(encodeGamma(value) * 255)
        .toString(16)
        .padStart(2, '0'),
    )
    .join('')}`;
}

function encodeGamma(value: number): number {
  const clipped = Math.min(1, Math.max(0, value));
  return clipped <= 0.0031308 ? 12.92 * clipped : 1.055 * clipped ** (1 / 2.4) - 0.055;
}

function decodeGamma(value: number): number {
  return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
}

function contrastWithWhite(hex: string): number {
  const channel = (at: number) => decodeGamma(Number.parseInt(hex.slice(at, at + 2), 16) / 255);
  const luminance = 0.2126 * channel(1) + 0.7152 * channel(3) + 0.0722 * channel(5);
  return 1.05 / (luminance + 0.05);
}
