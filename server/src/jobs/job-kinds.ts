// The kinds of jobs: the lane, the priority, the pauses between retries, and the interval of recurring jobs.

/**
 * A lane is a group of kinds of jobs with a common limit: one process runs at most `atOnce` jobs of the lane at the
 * same time. `leaseSeconds`: how long a job is reserved for the process that claimed the job. `renews`: the lease is
 * renewed while the job runs. `giveUpSeconds`: the job is not tried again if its first attempt began longer ago.
 */
export const LANES = {
  // `atOnce` is higher than MAIL_CONNECTIONS, so that jobs are ready when a connection becomes free. The lease is
  // renewed, because a mail server may take ten minutes to accept a mail.
  mail: { atOnce: 16, leaseSeconds: 90, renews: true, giveUpSeconds: 86_400 },
  // The lease is short, so that after a crash another process soon continues the import. An import that runs within its
  // upload request does not count towards `atOnce`.
  import: { atOnce: 4, leaseSeconds: 30, renews: true },
  upkeep: { atOnce: 1, leaseSeconds: 120, renews: false },
  // A lane of its own, because a count of many people takes longer than the interval of the upkeep.
  forecast: { atOnce: 1, leaseSeconds: 90, renews: true },
} as const satisfies Record<string, LaneRules>;

export type LaneRules = { atOnce: number; leaseSeconds: number; renews: boolean; giveUpSeconds?: number };

export type Lane = keyof typeof LANES;

type Policy = {
  lane: Lane;
  /** Within a lane, jobs with a lower number run first. */
  priority: number;
  /** The pause before each retry, in seconds. If the retry after the last pause fails, the job has failed. */
  retrySeconds: readonly number[];
  /** Only for recurring jobs: seconds from the end of one run to the start of the next run. */
  everySeconds?: number;
  /** True if the first attempt may be due days later: the mail is sent on the day on which access begins. */
  waitsForDay?: boolean;
};

/**
 * Jitter: the pause before a retry varies randomly by up to this fraction, so that jobs that failed together are
 * retried at different times.
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
  'tell-people': { lane: 'import', priority: 0, retrySeconds: [1, 5, 30, 120, 300] },
  'add-up-tally': { lane: 'upkeep', priority: 0, retrySeconds: [10, 30], everySeconds: 10 },
  'expire-codes': { lane: 'upkeep', priority: 1, retrySeconds: [10, 30], everySeconds: 10 },
  'check-stock': { lane: 'upkeep', priority: 1, retrySeconds: [10, 30], everySeconds: 10 },
  'forecast-stock': { lane: 'forecast', priority: 0, retrySeconds: [10, 30], everySeconds: 10 },
  // Updates the planner statistics after a large import.
  'analyse-tables': { lane: 'upkeep', priority: 3, retrySeconds: [30, 60] },
  // Adds new jobs for unfinished imports whose job is lost.
  adopt: { lane: 'upkeep', priority: 0, retrySeconds: [10, 30], everySeconds: 30 },
  purge: { lane: 'upkeep', priority: 2, retrySeconds: [30, 60], everySeconds: 600 },
  // In this lane, because its first run may take longer than the lease of the upkeep.
  retain: { lane: 'forecast', priority: 1, retrySeconds: [30, 60], everySeconds: 86_400 },
} as const satisfies Record<string, Policy>;

export type JobKind = keyof typeof JOB_KINDS;

export function policyOf(kind: JobKind): Policy {
  return JOB_KINDS[kind];
}

export function isRecurring(kind: string): boolean {
  return Object.hasOwn(JOB_KINDS, kind) && policyOf(kind as JobKind).everySeconds !== undefined;
}
