import { expect, test } from 'vitest';
import {
  judge,
  listFailed,
  listLate,
  listSkipped,
  listSlowest,
  OUTSIDE_OF_TESTS,
  type RunReport,
} from './test-outcome.ts';

type Tests = Record<string, 'passed' | 'failed' | 'skipped'>;

/** Returns the report of a test run that consists of one file. */
function run(file: string, tests: Tests, { errors = [] as string[], seconds = 1 } = {}): RunReport {
  const described = Object.entries(tests).map(([title, state]) => ({
    id: `${file} ${title}`,
    title,
    state,
    errors: state === 'failed' ? [`${title} broke`] : [],
  }));
  return { files: [{ file, project: 'e2e', seconds, tests: described, errors }], errors: [] };
}

const namesOf = (reports: { file: string }[]) => reports.map(({ file }) => file);

test('a test that failed and passed when it was repeated has passed, and is named as flaky', () => {
  const first = run('a.test.ts', { stable: 'passed', late: 'failed' });
  const second = run('a.test.ts', { stable: 'passed', late: 'passed' });
  expect(namesOf(listFailed(first))).toEqual(['a.test.ts']);
  expect(judge(first, second)).toEqual({
    passed: 2,
    failed: [],
    flaky: [{ file: 'a.test.ts', title: 'late' }],
  });
});

test('a test that fails twice fails, with the errors of both runs', () => {
  const broken = run('a.test.ts', { broken: 'failed' });
  expect(judge(broken, broken)).toEqual({
    passed: 0,
    failed: [{ file: 'a.test.ts', title: 'broken', errors: ['broken broke', 'broken broke'] }],
    flaky: [],
  });
});

test('a test that is not repeated fails at once', () => {
  expect(judge(run('a.test.ts', { broken: 'failed' })).failed).toHaveLength(1);
});

test('a test that fails only in the repetition is flaky too', () => {
  const first = run('a.test.ts', { one: 'failed', two: 'passed' });
  const second = run('a.test.ts', { one: 'passed', two: 'failed' });
  expect(judge(first, second)).toMatchObject({ passed: 2, failed: [], flaky: [{}, {}] });
});

test('an import or a hook that throws is a failure of its file, and may be flaky as a test may', () => {
  const broken = run('a.test.ts', { one: 'skipped' }, { errors: ['no browser'] });
  const passing = run('a.test.ts', { one: 'passed' });
  expect(namesOf(listFailed(broken))).toEqual(['a.test.ts']);
  expect(judge(broken, broken)).toMatchObject({ passed: 0, failed: [{ title: OUTSIDE_OF_TESTS }] });
  expect(judge(broken, passing)).toMatchObject({
    passed: 1,
    failed: [],
    flaky: [{ title: OUTSIDE_OF_TESTS }],
  });
});

test('an error that belongs to no file is a failure, whatever the repetition says', () => {
  const first = { ...run('a.test.ts', { one: 'passed' }), errors: ['a promise was rejected'] };
  expect(judge(first, run('a.test.ts', { one: 'passed' }))).toMatchObject({
    passed: 1,
    failed: [{ errors: ['a promise was rejected'] }],
  });
});

test('a skipped test counts neither as passed nor as failed', () => {
  expect(judge(run('a.test.ts', { one: 'skipped' }))).toEqual({ passed: 0, failed: [], flaky: [] });
});

test('the slowest files come first', () => {
  const runs = [1, 3, 2].map((seconds) => run(`${seconds}.test.ts`, {}, { seconds }));
  expect(listSlowest(runs, 2).map(({ file }) => file)).toEqual(['3.test.ts', '2.test.ts']);
});

test('a file is late if its first failure is a test that took too long', () => {
  const late = (...timedOut: boolean[]) => {
    const report = run('a.test.ts', Object.fromEntries(timedOut.map((_, index) => [`${index}`, 'failed'])));
    for (const [index, each] of (report.files[0]?.tests ?? []).entries())
      each.timedOut = timedOut[index] ?? false;
    return report;
  };
  expect(namesOf(listLate(late(true, true)))).toEqual(['a.test.ts']);
  expect(namesOf(listLate(late(true, false)))).toEqual(['a.test.ts']);
  expect(namesOf(listLate(late(false, true)))).toEqual([]);
  expect(namesOf(listLate(run('a.test.ts', { one: 'passed' })))).toEqual([]);
  expect(
    namesOf(
      listLate({ ...late(true), files: [{ ...late(true).files[0], errors: ['no database'] }] } as RunReport),
    ),
  ).toEqual([]);
});

test('skipped tests are counted by their reasons', () => {
  const report = run('a.test.ts', { one: 'skipped', two: 'skipped', three: 'skipped', four: 'passed' });
  for (const each of report.files[0]?.tests.slice(0, 2) ?? []) each.reason = 'no PgBouncer';
  expect(listSkipped([report, run('b.test.ts', { one: 'skipped' })])).toEqual([
    { reason: 'no PgBouncer', files: ['a.test.ts'], count: 2 },
    { reason: 'no reason given', files: ['a.test.ts', 'b.test.ts'], count: 2 },
  ]);
});
