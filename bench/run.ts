// Runs the benchmarks named in the arguments, or all of them, and writes bench/results.md.
import { reportAnswers } from './answers.ts';
import { reportBackups } from './backups.ts';
import { reportCohort } from './cohort.ts';
import { reportCohorts } from './cohorts.ts';
import { reportCopy } from './copy.ts';
import { reportFiles } from './files.ts';
import { reportFlatness } from './flatness.ts';
import { reportImports } from './imports.ts';
import { reportLists } from './lists.ts';
import { reportLog } from './log.ts';
import { reportPages } from './pages.ts';
import { reportProcesses } from './processes.ts';
import { reportRedemptions } from './redemptions.ts';
import { writeChapter } from './results-file.ts';
import { reportCrowd, reportVersions } from './versions.ts';

/** All benchmarks, in the order of bench/results.md. */
const BENCHMARKS: Record<string, { title: string; report: () => Promise<string> }> = {
  redemptions: { title: 'Redemptions', report: reportRedemptions },
  flatness: { title: 'The last of a million codes', report: reportFlatness },
  answers: { title: 'Answers', report: reportAnswers },
  processes: { title: 'Processes', report: reportProcesses },
  copy: { title: 'A large import', report: reportCopy },
  imports: { title: 'Imports beside learners', report: reportImports },
  lists: { title: 'Lists', report: reportLists },
  cohorts: { title: 'Cohorts', report: reportCohorts },
  files: { title: 'Files', report: reportFiles },
  log: { title: 'The log', report: reportLog },
  backups: { title: 'Backups', report: reportBackups },
  versions: { title: 'Compared with an earlier version', report: reportVersions },
  crowd: { title: 'Compared with an earlier version, with cohorts', report: reportCrowd },
  cohort: { title: 'A cohort arrives', report: reportCohort },
  pages: { title: 'Pages', report: reportPages },
};

const names = Object.keys(BENCHMARKS);
// A comparison with an earlier version needs the name of that version.
const comparisons = ['versions', 'crowd'];
const all = process.env.BASE === undefined ? names.filter((name) => !comparisons.includes(name)) : names;
const chosen = process.argv.length > 2 ? process.argv.slice(2) : all;
const unknown = chosen.filter((name) => !names.includes(name));
if (unknown.length > 0) {
  console.error(`There is no benchmark ${unknown.join(', ')}. There are: ${names.join(' ')}`);
  process.exit(1);
}
const titles = Object.values(BENCHMARKS).map(({ title }) => title);
for (const name of names.filter((known) => chosen.includes(known))) {
  const { title, report } = BENCHMARKS[name] as (typeof BENCHMARKS)[string];
  const startedMs = performance.now();
  const text = await report();
  await writeChapter(title, text, titles);
  console.log(`\n## ${title} (${Math.round((performance.now() - startedMs) / 1000)} s)\n\n${text}`);
}
