// The kinds of jobs: the lane and priority of each, its retries, and the interval of recurring jobs.

/** Limits of each lane: how many of its jobs one process runs at a time, and how long the lease of a claim lasts. */
export const LANES = {
  // MAIL_CONNECTIONS further limits how many mails are sent at the same time.
  mail: { atOnce: 16, leaseSeconds: 90, renews: false },
  // The lease is renewed while the import runs. After a crash of its process, another process claims the import when
  // the lease ends. Imports of running uploads are additional: the request waits for them.
  import: { atOnce: 4, leaseSeconds: 30, renews: true },
  upkeep: { atOnce: 1, leaseSeconds: 120, renews: false },
} as const;

export type Lane = keyof typeof LANES;

type Policy = {
  lane: Lane;
  /** A lower number runs first within the lane. */
  priority: number;
  /** Pauses between tries. The job has failed when the try after the last pause fails. */
  retrySeconds: readonly number[];
  /** Only for recurring jobs: seconds from the end of one run to the start of the next. */
  everySeconds?: number;
};

// About an hour, the default life of a mailed link.
const MAIL_RETRIES = [1, 5, 30, 120, ...Array<number>(11).fill(300)];

export const JOB_KINDS = {
  'sign-in-mail': { lane: 'mail', priority: 0, retrySeconds: MAIL_RETRIES },
  'stock-mail': { lane: 'mail', priority: 5, retrySeconds: MAIL_RETRIES },
  import: { lane: 'import', priority: 0, retrySeconds: [1, 5, 30, 120, 300] },
  'add-up-tally': { lane: 'upkeep', priority: 0, retrySeconds: [10, 30], everySeconds: 10 },
  'check-stock': { lane: 'upkeep', priority: 1, retrySeconds: [10, 30], everySeconds: 10 },
  // Takes over work of the previous version, which had no job queue. The next version does not need this job.
  adopt: { lane: 'upkeep', priority: 0, retrySeconds: [10, 30], everySeconds: 30 },
  purge: { lane: 'upkeep', priority: 2, retrySeconds: [30, 60], everySeconds: 600 },
} as const satisfies Record<string, Policy>;

export type JobKind = keyof typeof JOB_KINDS;

export function policyOf(kind: JobKind): Policy {
  return JOB_KINDS[kind];
}

/** True for a recurring job. */
export function isRecurring(kind: string): boolean {
  return kind in JOB_KINDS && policyOf(kind as JobKind).everySeconds !== undefined;
}
