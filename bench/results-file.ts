// Writes bench/results.md, which has one chapter for each benchmark. A run replaces the chapters of the benchmarks that
// it ran, and keeps the other chapters.
import { readFile, writeFile } from 'node:fs/promises';
import { availableParallelism, cpus, totalmem } from 'node:os';

const FILE = new URL('./results.md', import.meta.url);

const HEAD = `# Benchmarks

\`script/bench\` writes this file. Server, database and load generator share one machine, and other programs may run on it. So
absolute figures hold for this machine only. A ratio also holds for other machines, if its two sides took turns in one run. Unless
a chapter states something else, a figure is the median of five rounds, with the lowest and the highest value in brackets.
`;

/**
 * Writes `text` as the chapter `title` of the file. `titles` are the titles of all chapters, in order. A chapter of the
 * file whose title is not in `titles` is removed.
 */
export async function writeChapter(title: string, text: string, titles: readonly string[]): Promise<void> {
  const chapters = splitChapters(await readFile(FILE, 'utf8').catch(() => ''));
  chapters.set(title, `## ${title}\n\n*${describeRun()}*\n\n${text}\n`);
  const known = titles.flatMap((name) => chapters.get(name) ?? []);
  await writeFile(FILE, [HEAD, ...known].join('\n'));
}

function splitChapters(text: string): Map<string, string> {
  const [, ...chapters] = text.split(/^(?=## )/m);
  return new Map(chapters.map((chapter) => [chapter.slice(3, chapter.indexOf('\n')), `${chapter.trim()}\n`]));
}

function describeRun(): string {
  const memory = Math.round(totalmem() / 2 ** 30);
  const machine = `${availableParallelism()} cores of ${cpus()[0]?.model.trim()}, ${memory} GB, Node ${process.versions.node}`;
  return `${new Date().toISOString().slice(0, 10)}, on ${machine}`;
}
