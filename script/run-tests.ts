// Runs every check of the repository, one after the other, and ends with what failed and the line `N passed, N failed`.
import { spawn } from 'node:child_process';
import { readFile, rm } from 'node:fs/promises';

type Count = { passed: number; failed: number };
type Report = Partial<{
  numPassedTests: number;
  numFailedTests: number;
  testResults: {
    name: string;
    message: string;
    assertionResults: { status: string; fullName: string; failureMessages: string[] }[];
  }[];
}>;
type Step = { name: string; run: () => Promise<Count> };

// Long tests wear the name `*.long.test.ts`; the vitest configurations pick the suite by TEST_SUITE.
const isLong = process.argv.includes('--long');
if (isLong) process.env.TEST_SUITE = 'long';
const whichTests = isLong ? ['.long.test.ts', '--passWithNoTests'] : [];

/** What failed and why, said once more at the end: the middle of a long output is what logs and readers lose. */
const failures: string[] = [];

/** Runs a program; what it prints is passed on at once (`show`) or kept and given back. */
function run(program: string, parameters: string[], show: boolean) {
  return new Promise<{ succeeded: boolean; output: string }>((resolve) => {
    const child = spawn(program, parameters, {
      stdio: ['ignore', show ? 'inherit' : 'pipe', show ? 'inherit' : 'pipe'],
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

/** A step that either holds or does not; it says something only when it does not. */
function check(name: string, program: string, ...parameters: string[]): Step {
  return {
    name,
    run: async () => {
      const { succeeded, output } = await run(program, parameters, false);
      if (!succeeded) {
        console.log(output);
        failures.push(`${name}\n${output.trim()}`);
      }
      return succeeded ? { passed: 1, failed: 0 } : { passed: 0, failed: 1 };
    },
  };
}

/** A step of many tests, each of which counts; a run that breaks without naming a failed test counts as one failure. */
function tests(name: string, ...parameters: string[]): Step {
  const report = `.cache/${name.replaceAll(' ', '-')}.json`;
  return {
    name,
    run: async () => {
      await rm(report, { force: true });
      const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`];
      const { succeeded } = await run('vitest', ['run', ...reporters, ...whichTests, ...parameters], true);
      const { numPassedTests = 0, numFailedTests = 0, testResults = [] } = await readReport(report);
      for (const { name: file, message, assertionResults } of testResults) {
        if (message) failures.push(`${file}\n${message}`);
        for (const { status, fullName, failureMessages } of assertionResults)
          if (status === 'failed') failures.push(`${file}: ${fullName}\n${failureMessages.join('\n')}`);
      }
      if (!succeeded && numFailedTests === 0)
        failures.push(`${name}: an error outside of the tests, printed above`);
      return { passed: numPassedTests, failed: succeeded ? numFailedTests : Math.max(numFailedTests, 1) };
    },
  };
}

async function readReport(file: string) {
  return JSON.parse(await readFile(file, 'utf8').catch(() => '{}')) as Report;
}

const build = check('web build', 'vite', 'build', 'web', '--logLevel', 'warn');
const unitTests = tests('unit tests');
const browserTests = tests('browser tests', '--config', 'e2e/vitest.config.ts');
const steps = isLong
  ? [build, unitTests, browserTests]
  : [
      check('types', 'tsc', '--build', '.', 'contract', 'server', 'web', 'e2e', 'bench'),
      check('lint', 'biome', 'ci', '--error-on-warnings'),
      check('dead code', 'knip'),
      check('requirements', 'node', 'script/check-requirements.ts'),
      build,
      unitTests,
      browserTests,
    ];

const total: Count = { passed: 0, failed: 0 };
for (const step of steps) {
  const startedMs = performance.now();
  console.log(`\n== ${step.name}`);
  const { passed, failed } = await step.run();
  total.passed += passed;
  total.failed += failed;
  const seconds = ((performance.now() - startedMs) / 1000).toFixed(1);
  console.log(`== ${step.name}: ${passed} passed, ${failed} failed (${seconds} s)`);
}
for (const failure of failures) console.log(`\n== failed: ${failure}`);
console.log(`\n${total.passed} passed, ${total.failed} failed`);
process.exitCode = total.failed === 0 && total.passed > 0 ? 0 : 1;
