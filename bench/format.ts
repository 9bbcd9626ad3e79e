// Formats the numbers of the results: medians, lowest and highest values, ratios and Markdown tables.

export function median(values: readonly number[]): number {
  return percentile(values, 0.5);
}

/** Returns a percentile of `values`, for example the 95th if `share` is 0.95. Returns NaN if `values` is empty. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(Math.floor(sorted.length * share), sorted.length - 1)] ?? Number.NaN;
}

/** Returns a text with the median, the lowest and the highest of `values`: "median (lowest to highest)". */
export function show(values: readonly number[], digits = 0): string {
  const [lowest, highest] = [Math.min(...values), Math.max(...values)];
  return `${showOne(median(values), digits)} (${showOne(lowest, digits)} to ${showOne(highest, digits)})`;
}

export function showOne(value: number, digits = 0): string {
  return value.toLocaleString('en', { minimumFractionDigits: digits, maximumFractionDigits: digits });
}

/**
 * Divides each value by the value of `others` with the same index (both are from the same round). Returns the ratios as
 * "median (lowest to highest)".
 */
export function showRatios(values: readonly number[], others: readonly number[]): string {
  return show(
    values.map((value, round) => value / (others[round] ?? Number.NaN)),
    2,
  );
}

/** Returns a Markdown table. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [head, head.map(() => '---'), ...rows];
  return lines.map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}
