// Parses metrics in the Prometheus text format.

export type Sample = { name: string; labels: Record<string, string>; value: number };

const LINE = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)$/;
const LABEL = /([a-zA-Z_]\w*)="((?:[^"\\]|\\.)*)"/g;

/** Returns all samples in `text`. @throws Error if a line is neither a sample nor a comment. */
export function readSamples(text: string): Sample[] {
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return lines.map((line) => {
    const [, name = '', labels = '', value] = LINE.exec(line) ?? [];
    if (value === undefined) throw new Error(`no sample: ${line}`);
    const pairs = [...labels.matchAll(LABEL)].map(([, label = '', text = '']) => [label, text]);
    return { name, labels: Object.fromEntries(pairs) as Sample['labels'], value: Number(value) };
  });
}

/** Adds up the values of the samples that have this `name` and all these `labels`. */
export function sumSamples(samples: readonly Sample[], name: string, labels: Sample['labels'] = {}): number {
  const fits = (sample: Sample) => Object.entries(labels).every(([key, text]) => sample.labels[key] === text);
  return samples
    .filter((sample) => sample.name === name && fits(sample))
    .reduce((sum, { value }) => sum + value, 0);
}
