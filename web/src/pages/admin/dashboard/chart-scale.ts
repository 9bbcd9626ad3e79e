// The axis of a bar chart: round figures, four steps.

const STEPS = 4;
const ROUND = [1, 1.5, 2, 2.5, 3, 4, 5, 7.5, 10];

/** Figures of the axis from the top down: five whole ones, the first not below `highest`. */
export function axisOf(highest: number): number[] {
  const least = Math.max(highest, 1) / STEPS;
  const power = 10 ** Math.floor(Math.log10(Math.max(least, 1)));
  const step = ROUND.map((factor) => factor * power).find((size) => size >= least && Number.isInteger(size));
  const size = step ?? Math.ceil(least);
  return Array.from({ length: STEPS + 1 }, (_tick, i) => (STEPS - i) * size);
}

/** Which of `count` bars carry a date: five, the first and the last among them. */
export function datedBars(count: number): number[] {
  if (count <= 5) return Array.from({ length: count }, (_bar, i) => i);
  return Array.from({ length: 5 }, (_date, i) => Math.round((i * (count - 1)) / 4));
}

/** 'YYYY-MM-DD' as people write it, without sliding into the day before west of Greenwich. */
export function sayDay(day: string, withYear = false): string {
  return new Date(`${day}T00:00:00Z`).toLocaleDateString(undefined, {
    day: 'numeric',
    month: 'short',
    ...(withYear ? { year: 'numeric' } : {}),
    timeZone: 'UTC',
  });
}
