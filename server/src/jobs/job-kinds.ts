// The kinds of jobs. Each kind belongs to a lane, a group of kinds that share a limit of concurrent jobs. Each kind has
// a priority in its lane and pauses between retries. Recurring jobs also have an interval.

/**
 * A lane is a group of kinds of jobs. `atOnce`: how many jobs of the lane one process runs at the same time.
 * `leaseSeconds`: how long a claimed job is reserved for the process that claimed it. `renews`: the lease is renewed
 * while the job runs. `giveUpSeconds`: a job fails if its first attempt began longer ago.
 */
export const LANES = {
  // `atOnce` limits how many mail jobs run at the same time. A mailer has fewer connections (MAIL_CONNECTIONS), so some
  // of these jobs wait for a connection.
  // The lease is renewed, because a mail server may take ten minutes to accept a mail.
  mail: { atOnce: 16, leaseSeconds: 90, renews: true, giveUpSeconds: 86_400 },
  // The lease is renewed while an import runs. If the process of the import crashes, another process claims the import
  // when the lease ends. An import that still runs within its upload request does not count towards `atOnce`.
  import: { atOnce: 4, leaseSeconds: 30, renews: true },
  upkeep: { atOnce: 1, leaseSeconds: 120, renews: false },
} as const satisfies Record<string, LaneRules>;

export type LaneRules = { atOnce: number; leaseSeconds: number; renews: boolean; giveUpSeconds?: number };

export type Lane = keyof typeof LANES;

type Policy = {
  lane: Lane;
  /** Within a lane, jobs with a lower number run first. */
  priority: number;
  /** Pauses before each retry, in seconds. If the retry after the last pause fails too, the job has failed. */
  retrySeconds: readonly number[];
  /** Only for recurring jobs: time from the end of one run to the start of the next. */
  everySeconds?: number;
  /** True if the first attempt may be due on a later day, for example when access begins on that day. */
  waitsForDay?: boolean;
};

/**
 * The pause before a retry varies randomly by up to this fraction, so that jobs that failed together are not all retried at
 * the same moment.
 */
export const RETRY_JITTER = 0.1;

// The pauses add up to about an hour, which is the default lifetime of a mailed link.
const MAIL_RETRIES = [1, 5, 30, 120, ...Array<number>(11).fill(300)];

export const JOB_KINDS = {
  'sign-in-mail': { lane: 'mail', priority: 0, retrySeconds: MAIL_RETRIES },
  'team-mail': { lane: 'mail', priority: 1, retrySeconds: MAIL_RETRIES },
  'code-mail': { lane: 'mail', priority: 1, retrySeconds: MAIL_RETRIES },
  'ready-mail': { lane: 'mail', priority: 3, retrySeconds: MAIL_RETRIES, waitsForDay: true },
  'stock-mail': { lane: 'mail', priority: 5, retrySeconds: MAIL_RETRIES },
  'notice-mail': { lane: 'mail', priority: 5, retrySeconds: MAIL_RETRIES },
  import: { lane: 'import', priority: 0, retrySeconds: [1, 5, 30, 120, 300] },
  'add-up-tally': { lane: 'upkeep', priority: 0, retrySeconds: [10, 30], everySeconds: 10 },
  'expire-codes': { lane: 'upkeep', priority: 1, retrySeconds: [10, 30], everySeconds: 10 },
  'check-stock': { lane: 'upkeep', priority: 1, retrySeconds: [10, 30], everySeconds: 10 },
  // Enqueued by large imports. A failed attempt does no harm: the query plans stay as before.
  'analyse-tables': { lane: 'upkeep', priority: 3, retrySeconds: [30, 60] },
  // Enqueues unfinished imports whose job is lost.
  adopt: { lane: 'upkeep', priority: 0, retrySeconds: [10, 30], everySeconds: 30 },
  purge: { lane: 'upkeep', priority: 2, retrySeconds: [30, 60], everySeconds: 600 },
} as const satisfies Record<string, Policy>;

export type JobKind = keyof typeof JOB_KINDS;

export function policyOf(kind: JobKind): Policy {
  return JOB_KINDS[kind];
}

/** True if jobs of this kind are recurring. */
export function isRecurring(kind: string): boolean {
  return Object.hasOwn(JOB_KINDS, kind) && policyOf(kind as JobKind).everySeconds !== undefined;
}
