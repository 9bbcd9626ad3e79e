// Runs all checks, builds the pages, and runs the unit tests and the browser tests.
// The last line of the output is `N passed, N failed`. The lines above it name what was flaky or skipped, and why.
// With `--checks`, the script runs the checks and the build, but no tests.
// With `--long`, the script runs the build, the long tests and the cluster tests instead.
import { spawn } from 'node:child_process';
import { readFile, rm } from 'node:fs/promises';
import {
  type FileReport,
  judge,
  listFailed,
  listLate,
  listSkipped,
  listSlowest,
  type Outcome,
  type RunReport,
} from './test-outcome.ts';

type Step = { name: string; run: () => Promise<Outcome> };

const SLOWEST_SHOWN = 10;
const BROWSER_CONFIG = ['--config', 'e2e/vitest.config.ts'];

const isLong = process.argv.includes('--long');

const durations: { name: string; seconds: number }[] = [];
const reports: RunReport[] = [];

/**
 * Runs a program and returns its output. With `show`, prints the output immediately and returns an empty text instead.
 */
function run(program: string, parameters: string[], { show = false, env = {} } = {}) {
  return new Promise<{ succeeded: boolean; output: string }>((resolve) => {
    const child = spawn(program, parameters, {
      stdio: ['ignore', show ? 'inherit' : 'pipe', show ? 'inherit' : 'pipe'],
      env: { ...process.env, ...env },
    });
    let output = '';
    const keep = (chunk: Buffer) => {
      output += chunk;
    };
    child.stdout?.on('data', keep);
    child.stderr?.on('data', keep);
    child.on('error', (error) => resolve({ succeeded: false, output: String(error) }));
    child.on('close', (code) => resolve({ succeeded: code === 0, output }));
  });
}

/** Creates a step that runs one program and counts as one test. The output is printed only if the program fails. */
function check(name: string, program: string, ...parameters: string[]): Step {
  return {
    name,
    run: async () => {
      const { succeeded, output } = await run(program, parameters);
      if (succeeded) return { passed: 1, failed: [], flaky: [] };
      return { passed: 0, failed: [{ file: name, title: program, errors: [output.trim()] }], flaky: [] };
    },
  };
}

/**
 * Creates a step that runs Vitest and counts each test. The files that `repeats` selects run a second time, one after the
 * other. `suite` selects test files of e2e/: 'long' runs only `*.long.test.ts`, and 'cluster' only `*.cluster.test.ts`.
 */
function tests(
  name: string,
  parameters: string[],
  { repeats, suite = '' }: { repeats?: (report: RunReport) => FileReport[]; suite?: string } = {},
): Step {
  return {
    name,
    run: async () => {
      const first = await runVitest(parameters, suite);
      reports.push(first);
      const repeated = repeats?.(first) ?? [];
      if (repeated.length === 0) return judge(first);
      const files = [...new Set(repeated.map(({ file }) => file))];
      console.log(`\n== ${name}: once more, one at a time: ${files.join(', ')}`);
      const second = await runVitest([...parameters, '--maxWorkers=1', ...files], suite);
      // A file may have run on two database engines, and only one of the runs is to be repeated.
      const isRepeated = (again: FileReport) =>
        repeated.some(({ file, project }) => file === again.file && project === again.project);
      return judge(first, { ...second, files: second.files.filter(isRepeated) });
    },
  };
}

async function runVitest(parameters: string[], suite: string): Promise<RunReport> {
  const path = '.cache/test-report.json';
  await rm(path, { force: true });
  const reporters = ['--reporter=default', '--reporter=./script/test-reporter.ts'];
  const { succeeded } = await run('vitest', ['run', ...reporters, ...parameters], {
    show: true,
    env: { TEST_REPORT: path, TEST_SUITE: suite },
  });
  const written = await readFile(path, 'utf8').catch(() => '{"files":[],"errors":[]}');
  const report = JSON.parse(written) as RunReport;
  if (!succeeded && report.errors.length === 0 && listFailed(report).length === 0)
    report.errors.push('Vitest failed and named no reason; see its output above.');
  return report;
}

async function runStep({ name, run: work }: Step): Promise<Outcome> {
  const startedMs = performance.now();
  console.log(`\n== ${name}`);
  const outcome = await work();
  const seconds = (performance.now() - startedMs) / 1000;
  durations.push({ name, seconds });
  console.log(
    `== ${name}: ${outcome.passed} passed, ${outcome.failed.length} failed (${seconds.toFixed(1)} s)`,
  );
  return outcome;
}

/** Checks of the source code. They must not need the built pages, because they run in parallel with the build. */
const checks = [
  check('types', 'tsc', '--build', 'script', 'contract', 'server', 'web', 'e2e', 'bench'),
  check('lint', 'biome', 'ci', '--error-on-warnings'),
  check('dependency rules', 'depcruise', '--config', 'dependency-cruiser.config.ts', '-T', 'err-long', '.'),
  check('dead code', 'knip'),
  check('requirements', 'node', 'script/check-requirements.ts'),
];
const build = check('web build', 'script/build-pages');
const budgets = check('script budgets', 'node', 'script/script-budgets.ts');
const unitTests = tests('unit tests', [], { repeats: listLate });
const browserTests = tests('browser tests', BROWSER_CONFIG, { repeats: listFailed });
const longTests = tests('long tests', BROWSER_CONFIG, { repeats: listFailed, suite: 'long' });
// Cluster tests must not run in parallel with other browser tests: cluster tests add network devices to the machine,
// and Chromium then aborts its running requests (ERR_NETWORK_CHANGED).
const clusterTests = tests('cluster tests', BROWSER_CONFIG, { suite: 'cluster' });
/** Returns rows of steps. The steps of a row run in parallel; the rows run one after the other. */
function listRows(): Step[][] {
  if (isLong) return [[build], [longTests], [clusterTests]];
  if (process.argv.includes('--checks')) return [[...checks, build], [budgets]];
  return [[...checks, build], [budgets], [unitTests], [browserTests]];
}

const outcomes: Outcome[] = [];
for (const row of listRows()) outcomes.push(...(await Promise.all(row.map(runStep))));

console.log('\nSeconds of each step:');
for (const { name, seconds } of durations) console.log(`${seconds.toFixed(1).padStart(7)}  ${name}`);
if (reports.length > 0) console.log(`\nSeconds of the ${SLOWEST_SHOWN} slowest files:`);
for (const { file, project, seconds } of listSlowest(reports, SLOWEST_SHOWN))
  console.log(`${seconds.toFixed(1).padStart(7)}  ${file} (${project})`);

// Prints all failures again at the end of the output. If the log has a size limit, the middle of the output may be
// missing.
const failed = outcomes.flatMap((outcome) => outcome.failed);
for (const { file, title, errors } of failed)
  console.log(`\n== failed: ${file}: ${title}\n${errors.join('\n')}`);
console.log();
for (const { file, title } of outcomes.flatMap((outcome) => outcome.flaky))
  console.log(`flaky: ${file}: ${title}`);
for (const { reason, files, count } of listSkipped(reports))
  console.log(`${count} skipped in ${files.join(', ')}: ${reason}`);
const passed = outcomes.reduce((sum, outcome) => sum + outcome.passed, 0);
console.log(`${passed} passed, ${failed.length} failed`);
process.exitCode = failed.length === 0 && passed > 0 ? 0 : 1;
