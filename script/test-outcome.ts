// Computes the result of a test run in which the failed files were repeated once.

/** The result of one test. `id` is the same in each run of its file. */
export type TestReport = {
  id: string;
  title: string;
  state: 'passed' | 'failed' | 'skipped';
  errors: string[];
};

/** The results of one test file. `errors` are the errors of its imports and hooks. */
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

/** `passed` is the number of passed tests, flaky ones included. `flaky`: failed in one run and passed in the other. */
export type Outcome = {
  passed: number;
  failed: Failure[];
  flaky: { file: string; title: string }[];
};

/** Title for errors of a file's imports and hooks. */
export const OUTSIDE_OF_TESTS = 'outside of its tests';

/** Returns the files with a failed test, import or hook, each once. */
export function listFailedFiles({ files }: RunReport): string[] {
  const failed = files.filter(({ tests, errors }) => errors.length > 0 || tests.some(hasFailed));
  return [...new Set(failed.map(({ file }) => file))];
}

/** Combines runs: a test that passed in any run has passed. Errors that belong to no file count as failures. */
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

/** Returns up to `count` files, slowest first. */
export function listSlowest(runs: RunReport[], count: number): FileReport[] {
  return runs
    .flatMap(({ files }) => files)
    .sort((a, b) => b.seconds - a.seconds)
    .slice(0, count);
}

function hasFailed({ state }: TestReport): boolean {
  return state === 'failed';
}
