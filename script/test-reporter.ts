// A Vitest reporter. It writes the results of all files and tests as JSON (a RunReport) to the file whose path is in
// the environment variable TEST_REPORT.
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Reporter, SerializedError, TestCase, TestModule } from 'vitest/node';
import type { FileReport, RunReport, TestReport } from './test-outcome.ts';

export default class TestReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandled: readonly SerializedError[]): void {
    const report: RunReport = { files: modules.map(describeFile), errors: unhandled.map(describeError) };
    const path = process.env.TEST_REPORT ?? '.cache/test-report.json';
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, JSON.stringify(report));
  }
}

function describeFile(module: TestModule): FileReport {
  // Vitest assigns the errors of imports and hooks to the module or to a suite, not to a test. So the reporter collects
  // the errors of the module and of all its suites.
  const errors = [...module.errors(), ...[...module.children.allSuites()].flatMap((suite) => suite.errors())];
  return {
    file: module.relativeModuleId,
    project: module.project.name,
    seconds: (module.diagnostic().collectDuration + module.diagnostic().duration) / 1000,
    tests: [...module.children.allTests()].map(describeTest),
    errors: errors.map(describeError),
  };
}

function describeTest(test: TestCase): TestReport {
  const result = test.result();
  const { state, errors = [] } = result;
  return {
    id: test.id,
    title: test.fullName,
    state: state === 'pending' ? 'failed' : state,
    errors: errors.map(describeError),
    timedOut: errors.length > 0 && errors.every(({ message }) => message.startsWith('Test timed out in ')),
    ...(result.state === 'skipped' && result.note !== undefined && { reason: result.note }),
  };
}

function describeError({ message, stack }: { message: string; stack?: string | undefined }): string {
  return stack ?? message;
}
