// What a run of tests came to, when the files that failed were run once more.

/** One test. `id` is the same in each run of its file. */
export type TestReport = {
  id: string;
  title: string;
  state: 'passed' | 'failed' | 'skipped';
  errors: string[];
};

/** One test file; `errors` are those of its imports and hooks. */
export type FileReport = {
  file: string;
  project: string;
  seconds: number;
  tests: TestReport[];
  errors: string[];
};

/** `errors` are those that Vitest could give to no test and no hook. */
export type RunReport = { files: FileReport[]; errors: string[] };

export type Failure = { file: string; title: string; errors: string[] };

/** `passed` counts tests; a test that failed in one run and passed in the other is among them and is listed in `flaky`. */
export type Outcome = {
  passed: number;
  failed: Failure[];
  flaky: { file: string; title: string }[];
};

/** Title under which errors of a file's imports and hooks are listed. */
export const OUTSIDE_OF_TESTS = 'outside of its tests';

/** The files in which something failed, without repetition. */
export function listFailedFiles({ files }: RunReport): string[] {
  const failed = files.filter(({ tests, errors }) => errors.length > 0 || tests.some(hasFailed));
  return [...new Set(failed.map(({ file }) => file))];
}

/** Judges each test by its runs: one that passed in any of them has passed. Errors of no file count as failures. */
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

/** The slowest files, slowest first. */
export function listSlowest(runs: RunReport[], count: number): FileReport[] {
  return runs
    .flatMap(({ files }) => files)
    .sort((a, b) => b.seconds - a.seconds)
    .slice(0, count);
}

function hasFailed({ state }: TestReport): boolean {
  return state === 'failed';
}
