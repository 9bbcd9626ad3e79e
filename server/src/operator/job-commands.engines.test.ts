import { afterAll, beforeAll, expect, test } from 'vitest';
import { openTestDatabase } from '../../test/open-test-database.ts';
import { runCommandLine } from '../../test/run-command-line.ts';
import { createTestJobs, createUploadTools } from '../../test/test-jobs.ts';
import type { Database } from '../db/database.ts';
import { listJobs } from '../jobs/job-lists.sql.ts';
import { enqueueJob } from '../jobs/jobs.sql.ts';
import { JobFailure } from '../jobs/run-job.ts';

let db: Database;
beforeAll(async () => {
  db = await openTestDatabase();
});
afterAll(() => db.close());

const run = (...args: string[]) =>
  runCommandLine(
    {
      db,
      uploadTools: createUploadTools(db),
      rotateKeys: null,
      adminEmails: [],
      timeZone: 'UTC',
      publicUrl: 'http://localhost:3000',
    },
    args,
  );

test('jobs are listed with state and reason, and retried and cancelled by their number', async () => {
  expect(await run('jobs', 'list')).toBe('No jobs.');
  expect(await run('jobs', 'list', '--failed')).toBe('No job failed.');
  for (const key of ['a', 'b']) await enqueueJob(db, { kind: 'stock-mail', key }, new Date());
  const jobs = createTestJobs(db, {
    'stock-mail': { run: ({ key }) => Promise.reject(new JobFailure(`550 not ${key}`)) },
  });
  jobs.wake('mail');
  await jobs.close();
  await enqueueJob(db, { kind: 'check-stock', key: '' }, new Date());
  const [first, second, recurring] = await listJobs(db, { failed: false, limit: 3 });
  const listed = await run('jobs', 'list', '--failed');
  expect(listed.split('\n')).toEqual([
    expect.stringMatching(
      new RegExp(`^${first?.id}  failed  stock-mail  a  1 tries  failed \\S+Z  550 not a$`),
    ),
    expect.stringContaining('550 not b'),
  ]);
  expect(await run('jobs', 'retry', first?.id ?? '')).toBe(`Job ${first?.id} runs again.`);
  expect(await run('jobs', 'list', '--failed')).not.toContain('550 not a');
  expect(await run('jobs', 'cancel', second?.id ?? '')).toBe(
    `Job ${second?.id} (stock-mail b) is cancelled.`,
  );
  expect(await run('jobs', 'list')).toContain('  cancelled  stock-mail  b');
  for (const command of [
    ['retry', second?.id ?? ''],
    ['cancel', second?.id ?? ''],
    ['cancel', recurring?.id ?? ''],
    ['retry', '99999'],
    ['retry', 'x'],
    ['cancel'],
    ['list', 'x'],
  ]) {
    await expect(run('jobs', ...command), command.join(' ')).rejects.toMatchObject({ name: 'OperatorError' });
  }
});
