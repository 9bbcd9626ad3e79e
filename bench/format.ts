// Figures as they stand in the results: the median of several, with the lowest and the highest.

export function median(values: readonly number[]): number {
  return percentile(values, 0.5);
}

/** `share` 0.95 answers the value that 95 of 100 do not exceed. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(Math.floor(sorted.length * share), sorted.length - 1)] ?? Number.NaN;
}

/** The median, with lowest and highest. */
export function show(values: readonly number[], digits = 0): string {
  const [lowest, highest] = [Math.min(...values), Math.max(...values)];
  return `${showOne(median(values), digits)} (${showOne(lowest, digits)} to ${showOne(highest, digits)})`;
}

export function showOne(value: number, digits = 0): string {
  return value.toLocaleString('en', { minimumFractionDigits: digits, maximumFractionDigits: digits });
}

/** Round by round, what `values` are to `others`. */
export function showRatios(values: readonly number[], others: readonly number[]): string {
  return show(
    values.map((value, round) => value / (others[round] ?? Number.NaN)),
    2,
  );
}

/** A table in Markdown. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [head, head.map(() => '---'), ...rows];
  return lines.map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}
