// Adds an audit line when a mail is enqueued, sent, or will be retried, and when it has failed (R-TRAIL-30).
import { createHash } from 'node:crypto';
import type { Db } from '../db/database.ts';
import { setLogGroup } from '../features/log/audit.sql.ts';
import type { JobKind } from '../jobs/job-kinds.ts';
import { enqueueJob, type Job, type NewJob } from '../jobs/jobs.sql.ts';
import type { JobHandler } from '../jobs/run-job.ts';
import { createMailLine, type MailLine, setMailRefusal } from './mails.sql.ts';

/** Kinds of jobs that send a mail. */
type MailJobKind = Extract<JobKind, `${string}-mail`>;

/**
 * The input of a mail job. `about` is the address of the recipient. `group_id` is the group of audit lines in which the
 * mail was enqueued: one press or job that mails 300 people stays one entry of the log (R-DAY-40).
 */
type MailData = { about: string; product_id?: string; group_id?: string | null };

/**
 * Enqueues a mail and adds the audit line `mail.queue`. Does nothing and returns false if a job with the same kind and
 * key waits or runs. `actor` is the address of the member of the team who requested the mail, or 'portal'.
 */
export async function enqueueMailJob(
  tx: Db,
  job: NewJob & { kind: MailJobKind; data: MailData },
  { actor, now }: { actor: string; now: Date },
): Promise<boolean> {
  const id = await enqueueJob(tx, job, now);
  if (id === null) return false;
  const { about: email, product_id = null } = job.data;
  await createMailLine(tx, {
    actor,
    action: 'mail.queue',
    email,
    product_id,
    detail: { kind: mailKindOf(job.kind), id },
  });
  return true;
}

/** Returns the id of a job's mail (`Mail.id`). The id changes only if staff retry the failed job. */
export function mailIdOf({ id, kind, key, created_at }: Job): string {
  return createHash('sha256').update([id, kind, key, created_at].join('\n')).digest('hex').slice(0, 32);
}

/** Returns the kind of a mail for audit lines: 'sign-in' for the kind of job 'sign-in-mail' (N-30). */
export function mailKindOf(kind: string): string {
  return kind.replace(/-mail$/, '');
}

/**
 * Functions of a mail job's handler that add the audit lines. The handler's `run` must return the last line of the mail
 * server's response, or null if no mail was sent.
 */
export const MAIL_LOG: Required<Pick<JobHandler, 'onDone' | 'onRetry' | 'onFailed'>> = {
  onDone: async (tx, job, response) => {
    if (typeof response === 'string') await addLine(tx, job, 'mail.send', response);
  },
  // Adds a line for the first failure only, because a mail can be retried many times in an hour.
  onRetry: async (tx, job, words) => {
    if (job.reason === null) await addLine(tx, job, 'mail.retry', words);
  },
  onFailed: async (tx, job, words, { error, now }) => {
    await addLine(tx, job, 'mail.fail', words);
    if (error instanceof Error && 'refusesRecipient' in error && error.refusesRecipient === true)
      await setMailRefusal(tx, { email: recipientOf(job), reason: words, at: now });
  },
};

async function addLine(tx: Db, job: Job, action: MailLine['action'], words: string): Promise<void> {
  const { product_id = null, group_id = null } = job.data as Partial<MailData>;
  // What went wrong is an entry of its own.
  if (group_id !== null && action === 'mail.send') await setLogGroup(tx, group_id);
  await createMailLine(tx, {
    actor: 'portal',
    action,
    email: recipientOf(job),
    product_id,
    detail: { kind: mailKindOf(job.kind), id: job.id, words, attempts: job.tries },
  });
}

function recipientOf({ kind, key, data }: Job): string {
  return kind === 'sign-in-mail' ? key : (data as MailData).about;
}
