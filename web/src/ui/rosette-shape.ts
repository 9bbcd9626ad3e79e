// Computes the rosette of a ticket from an id: a pattern of curves as on banknotes. The same id gives the same pattern.

export type RosetteDetail = 'fine' | 'mid' | 'small';

/**
 * Two closed curves as SVG paths, in a box of 1000 × 1000 units with its centre at 0,0. Copies of the outer curve are
 * scaled and rotated; copies of the inner curve are only rotated. Angles are in degrees.
 */
type RosetteShape = {
  outer: string;
  inner: string;
  outerCopies: { scale: number; turn: number }[];
  innerTurns: number[];
};

const COPIES: Record<RosetteDetail, [outer: number, inner: number]> = {
  fine: [13, 9],
  mid: [7, 5],
  small: [4, 3],
};

/** Returns the rosette's shape for `id`. `detail` sets the number of copies of each curve. */
export function drawRosette(id: string, detail: RosetteDetail): RosetteShape {
  const random = randomFrom(hash(id));
  const pick = <T>(values: readonly T[]): T => values[Math.floor(random() * values.length)] as T;
  const [outerCount, innerCount] = COPIES[detail];

  const style = pick(['twist', 'twist', 'weave', 'star'] as const);
  const n = style === 'weave' ? pick([5, 6, 8, 10, 12, 16]) : pick([3, 4, 5, 6, 7, 8, 10, 12]);
  const height = (n < 5 ? 0.17 : n < 8 ? 0.15 : 0.11) + random() * 0.05;
  const pinch = (random() - 0.5) * 0.6;
  // The radius is chosen so that the lobes stay inside the box.
  const outer = lobes(n, 0.98 - height * (1 + Math.max(pinch, -pinch * 0.2)), height, pinch);
  const turns = {
    twist: pick([-1, 1]) * pick([0.25, 0.5, 0.5, 0.75, 1]) * (360 / n),
    weave: 360 / n,
    star: 0,
  };
  const smallest = style === 'weave' ? 0.72 + random() * 0.14 : 0.4 + random() * 0.16;
  const m = pick([5, 6, 7, 8, 9, 11]);
  const radius = style === 'weave' ? 0.34 : 0.25 + random() * 0.05;
  const inner = lobes(m, radius, 0.1 + random() * 0.07, (random() - 0.5) * 0.4);

  const turnOf = (i: number) => {
    if (style === 'star') return (i % 2) * (180 / n);
    return turns[style] * (i / (style === 'weave' ? outerCount : outerCount - 1));
  };
  return {
    outer,
    inner,
    outerCopies: Array.from({ length: outerCount }, (_, i) => ({
      scale: round(1 - (1 - smallest) * (i / (outerCount - 1)), 2),
      turn: round(-90 + turnOf(i), 1),
    })),
    innerTurns: Array.from({ length: innerCount }, (_, i) => round((360 / m / innerCount) * i, 1)),
  };
}

/**
 * Returns the SVG path of a closed curve with `n` lobes. `radius` is the mean radius and `height` the height of the
 * lobes, as shares of half the box. A positive `pinch` makes the lobes pointed, a negative one makes them flat.
 */
function lobes(n: number, radius: number, height: number, pinch: number): string {
  const count = n * (n < 6 ? 10 : 6);
  const points = Array.from({ length: count }, (_, i) => {
    const t = (i / count) * 2 * Math.PI;
    const r = 500 * (radius + height * Math.cos(n * t) + height * pinch * Math.cos(2 * n * t));
    return [r * Math.cos(t), r * Math.sin(t)] as const;
  });
  const at = (i: number) => points[(i + count) % count] as readonly [number, number];

  // Relative and rounded coordinates keep the path short. x and y are sums of the rounded values, so rounding errors do
  // not accumulate. An `s` curve continues the direction of the previous curve.
  const [before, first, second] = [at(-1), at(0), at(1)];
  let x = round(first[0]);
  let y = round(first[1]);
  let path = `M${x} ${y}c${round((second[0] - before[0]) / 6)} ${round((second[1] - before[1]) / 6)} `;
  for (let i = 0; i < count; i++) {
    const [b, c, d] = [at(i), at(i + 1), at(i + 2)];
    const curve = [c[0] - (d[0] - b[0]) / 6 - x, c[1] - (d[1] - b[1]) / 6 - y, c[0] - x, c[1] - y];
    path += `${i ? 's' : ''}${curve.map((value) => round(value)).join(' ')}`;
    x += round(c[0] - x);
    y += round(c[1] - y);
  }
  return `${path}Z`.replaceAll(' -', '-');
}

function round(value: number, digits = 0): number {
  return Number(value.toFixed(digits));
}

/** Returns the 32-bit FNV-1a hash of the code points. */
function hash(text: string): number {
  let value = 2_166_136_261;
  for (const character of text) {
    value = Math.imul(value ^ (character.codePointAt(0) ?? 0), 16_777_619);
  }
  return value >>> 0;
}

/** Returns a pseudo-random generator (Mulberry32) of numbers from 0 to 1. The same seed gives the same numbers. */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}
