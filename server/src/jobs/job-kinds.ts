// The kinds of jobs: how each is run, how often it is tried, and when a recurring one comes again.

/** What a lane of the queue allows: how many of its jobs a process runs at a time, and for how long a claim holds. */
export const LANES = {
  // The mail server's connections limit them further (see MAIL_CONNECTIONS).
  mail: { atOnce: 16, leaseSeconds: 90, renews: false },
  // Renewed while the job runs: an import whose process has died is claimed by another after this time. Beside these, each
  // upload runs its own import, as it waits for the response.
  import: { atOnce: 4, leaseSeconds: 30, renews: true },
  upkeep: { atOnce: 1, leaseSeconds: 120, renews: false },
} as const;

export type Lane = keyof typeof LANES;

type Policy = {
  lane: Lane;
  /** Lower runs first within the lane. */
  priority: number;
  /** The waits between tries; after the try that follows the last of them the job has failed. */
  retrySeconds: readonly number[];
  /** Set for a recurring job: the time between the end of one run and the start of the next. */
  everySeconds?: number;
};

// About an hour, the usual life of a mailed link.
const MAIL_RETRIES = [1, 5, 30, 120, ...Array<number>(11).fill(300)];

export const JOB_KINDS = {
  'sign-in-mail': { lane: 'mail', priority: 0, retrySeconds: MAIL_RETRIES },
  'stock-mail': { lane: 'mail', priority: 5, retrySeconds: MAIL_RETRIES },
  import: { lane: 'import', priority: 0, retrySeconds: [1, 5, 30, 120, 300] },
  'add-up-tally': { lane: 'upkeep', priority: 0, retrySeconds: [10, 30], everySeconds: 10 },
  'check-stock': { lane: 'upkeep', priority: 1, retrySeconds: [10, 30], everySeconds: 10 },
  // Of the version before, which had no job queue; the one after this needs no such job.
  adopt: { lane: 'upkeep', priority: 0, retrySeconds: [10, 30], everySeconds: 30 },
  purge: { lane: 'upkeep', priority: 2, retrySeconds: [30, 60], everySeconds: 600 },
} as const satisfies Record<string, Policy>;

export type JobKind = keyof typeof JOB_KINDS;

/** How a kind of job is run. */
export function policyOf(kind: JobKind): Policy {
  return JOB_KINDS[kind];
}

/** True for a kind that comes again by itself. */
export function isRecurring(kind: string): boolean {
  return kind in JOB_KINDS && policyOf(kind as JobKind).everySeconds !== undefined;
}
