// Computes the result of a test run. Files with failed tests may have run a second time; the result combines both runs.

/**
 * The result of one test. `id` identifies the test: it is the same in the first run and in the repetition. `timedOut` is
 * true if the test failed for no other reason than its time limit. `reason` says why a test was skipped.
 */
export type TestReport = {
  id: string;
  title: string;
  state: 'passed' | 'failed' | 'skipped';
  errors: string[];
  timedOut?: boolean;
  reason?: string;
};

/** The results of one test file. `errors` are errors that the imports and hooks of the file threw, outside of tests. */
export type FileReport = {
  file: string;
  project: string;
  seconds: number;
  tests: TestReport[];
  errors: string[];
};

/** The results of a run. `errors` are errors that Vitest could not assign to a test or hook. */
export type RunReport = { files: FileReport[]; errors: string[] };

export type Failure = { file: string; title: string; errors: string[] };

/**
 * The result of a run and its repetition. `passed` is the number of tests that passed in at least one of these runs.
 * `flaky` lists the tests that passed in one run and failed in the other run. `passed` includes the flaky tests.
 */
export type Outcome = {
  passed: number;
  failed: Failure[];
  flaky: { file: string; title: string }[];
};

/** Used as the title of a failure that belongs to no test, because an import or a hook of the test file failed. */
export const OUTSIDE_OF_TESTS = 'outside of its tests';

/** Returns the reports of the files in which a test, an import or a hook failed. */
export function listFailed({ files }: RunReport): FileReport[] {
  return files.filter(({ tests, errors }) => errors.length > 0 || tests.some(hasFailed));
}

/**
 * Returns the reports of the files whose first failure is a test that took too long. Such a test goes on in the
 * background, so it can make later tests fail too.
 */
export function listLate({ files }: RunReport): FileReport[] {
  return files.filter(({ tests, errors }) => errors.length === 0 && tests.find(hasFailed)?.timedOut === true);
}

/** Returns the reasons why tests were skipped, each with its files and the number of its tests. */
export function listSkipped(runs: RunReport[]): { reason: string; files: string[]; count: number }[] {
  const byReason = new Map<string, { files: Set<string>; count: number }>();
  for (const { file, tests } of runs.flatMap(({ files }) => files))
    for (const { reason = 'no reason given' } of tests.filter(({ state }) => state === 'skipped')) {
      const known = byReason.get(reason) ?? { files: new Set(), count: 0 };
      byReason.set(reason, { files: known.files.add(file), count: known.count + 1 });
    }
  return [...byReason].map(([reason, { files, count }]) => ({ reason, files: [...files], count }));
}

/**
 * Combines the reports of a run and its repetition. A test counts as passed if it passed in the run or in the
 * repetition. An error that belongs to no file counts as a failure.
 */
export function judge(...runs: RunReport[]): Outcome {
  const byId = new Map<string, { file: string; title: string; states: Set<string>; errors: string[] }>();
  for (const run of runs) {
    for (const { file, project, tests, errors } of run.files) {
      const hooks: TestReport = {
        id: `${project} ${file}`,
        title: OUTSIDE_OF_TESTS,
        state: errors.length > 0 ? 'failed' : 'passed',
        errors,
      };
      for (const test of [...tests, hooks]) {
        const known = byId.get(test.id) ?? { file, title: test.title, states: new Set(), errors: [] };
        byId.set(test.id, known);
        known.states.add(test.state);
        known.errors.push(...test.errors);
      }
    }
  }
  const results = [...byId.values()];
  const tests = results.filter(({ title }) => title !== OUTSIDE_OF_TESTS);
  return {
    passed: tests.filter(({ states }) => states.has('passed')).length,
    failed: [
      ...results.filter(({ states }) => states.has('failed') && !states.has('passed')),
      ...runs.flatMap(({ errors }) =>
        errors.map((error) => ({ file: 'no file', title: OUTSIDE_OF_TESTS, errors: [error] })),
      ),
    ].map(({ file, title, errors }) => ({ file, title, errors })),
    flaky: results
      .filter(({ states }) => states.has('failed') && states.has('passed'))
      .map(({ file, title }) => ({ file, title })),
  };
}

/** Returns up to `count` test files, the slowest first. */
export function listSlowest(runs: RunReport[], count: number): FileReport[] {
  return runs
    .flatMap(({ files }) => files)
    .sort((a, b) => b.seconds - a.seconds)
    .slice(0, count);
}

function hasFailed({ state }: TestReport): boolean {
  return state === 'failed';
}
