// Runs a job in many small steps, for jobs that change many rows.
import type { JobTools } from '../jobs/run-job.ts';
import { createPauses, type WorkTools } from './give-way.ts';

/**
 * What a step says: the job has ended with it, or goes on. 'released': another process has claimed the job. 'gone': the
 * job is not running any more, for example because it was cancelled.
 */
export type StepResult = 'ended' | 'goes on' | 'released' | 'gone';

/**
 * Runs steps until the job ends, with pauses while the portal is busy. Returns 'released' if the job has not ended,
 * because this process stops or another process has claimed the job.
 */
export async function runSteps(
  runStep: () => Promise<StepResult>,
  tools: WorkTools,
  { renew }: Pick<JobTools, 'renew'>,
): Promise<'released' | undefined> {
  const giveWay = createPauses(tools);
  for (;;) {
    if (tools.isStopping()) return 'released';
    const result = await runStep();
    if (result === 'gone' || result === 'ended') return;
    if (result === 'released' || !(await renew())) return 'released';
    await giveWay();
  }
}
