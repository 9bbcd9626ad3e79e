// Counts the requests, statements, redemptions and sign-ins of one process, and measures how long they take.
import { type ErrorCode, redeemCoupon } from '@portal/contract';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { ConnectionCounts } from '../db/database.ts';

// Histogram buckets in seconds. A request that reads one row by an index on the embedded engine takes about 5 ms, the
// lowest bucket. After 10 s, the highest bucket, users think that the request has failed.
const REQUEST_SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
// Histogram buckets in seconds. PostgreSQL cancels a statement after 30 seconds.
const STATEMENT_SECONDS = [0.001, 0.005, 0.025, 0.1, 0.5, 2, 10, 30];

/**
 * Maps the error code of a failed redemption to the label `outcome`. Other error codes do not count as a redemption,
 * for example the code for an invalid body.
 */
const OUTCOMES = {
  product_not_found: 'not_found',
  product_not_assigned: 'no_access',
  email_not_registered: 'not_registered',
  no_coupon_left: 'none_left',
  unavailable: 'unavailable',
  concurrent_change: 'unavailable',
  timed_out: 'unavailable',
  connection_lost: 'unavailable',
  outcome_unknown: 'unavailable',
  internal_error: 'failed',
} as const satisfies Partial<Record<ErrorCode, string>>;

type RequestSample = {
  method: string;
  /**
   * The pattern of the route, such as /api/products/:id; undefined for a page. Never the URL, which may contain
   * personal data.
   */
  route: string | undefined;
  status: number;
  seconds: number;
  /** The error code of the response; null if the request succeeded. */
  refusal: ErrorCode | null;
};

export type ProcessMetrics = ReturnType<typeof createProcessMetrics>;

/**
 * Creates the metrics of this process. Each sample has the label `worker`, so that the workers' counters are not added
 * up. The counters of a replaced worker start at 0: a sum would fall, and Prometheus would treat the fall as a reset of
 * the whole sum (decision 0018). `workers` is the configured number of workers.
 */
export function createProcessMetrics({ worker, workers }: { worker: number; workers: number }) {
  const registry = new Registry();
  registry.setDefaultLabels({ worker: String(worker) });
  collectDefaultMetrics({ register: registry });
  const registers = [registry];
  const requests = new Histogram({
    name: 'portal_http_request_duration_seconds',
    help: 'Time to answer, by route pattern and status.',
    labelNames: ['method', 'route', 'status'],
    buckets: REQUEST_SECONDS,
    registers,
  });
  const statements = new Histogram({
    name: 'portal_database_statement_duration_seconds',
    help: 'Time for a statement, the wait for a free connection included.',
    buckets: STATEMENT_SECONDS,
    registers,
  });
  const redemptions = new Counter({
    name: 'portal_redemptions_total',
    help: 'Redemptions by outcome.',
    labelNames: ['outcome'],
    registers,
  });
  const signIns = new Counter({
    name: 'portal_sign_ins_total',
    help: 'Sessions started by the embedded sign-in service: by a mailed link or code (otp) or with Google (oauth).',
    labelNames: ['method'],
    registers,
  });
  // prom-client's own metric of the start time is missing when prom-client aggregates several processes.
  const startedAt = Math.round((performance.timeOrigin / 1000) * 10) / 10;
  new Gauge({
    name: 'portal_start_time_seconds',
    help: 'When the process started, Unix time.',
    registers,
  }).set(startedAt);
  new Gauge({ name: 'portal_workers', help: 'Processes configured (WORKERS).', registers }).set(workers);
  // Each counter begins at 0. If a counter first appeared with the value 1, Prometheus' `rate()` would ignore this
  // first increment.
  for (const outcome of ['issued', 'repeated', ...Object.values(OUTCOMES)]) redemptions.inc({ outcome }, 0);
  for (const method of ['otp', 'oauth']) signIns.inc({ method }, 0);

  let calls = 0;
  return {
    registry,
    noteCall: () => {
      calls += 1;
    },
    /**
     * Returns how often `noteCall` was called. Bulk jobs use this to pause longer while the portal serves many calls.
     */
    countCalls: () => calls,
    noteRequest: ({ method, route, status, seconds, refusal }: RequestSample) => {
      requests.observe({ method, route: nameRoute(route), status }, seconds);
      const outcome =
        refusal !== null && refusal in OUTCOMES ? OUTCOMES[refusal as keyof typeof OUTCOMES] : null;
      if (route === redeemCoupon.path && outcome !== null) redemptions.inc({ outcome });
    },
    noteRedemption: ({ is_new }: { is_new: boolean }) => {
      redemptions.inc({ outcome: is_new ? 'issued' : 'repeated' });
    },
    noteSignIn: (method: string) => signIns.inc({ method }),
    noteStatement: (seconds: number) => statements.observe(seconds),
    /** Adds a gauge for database connections. Each scrape calls `read`. */
    followConnections: (read: () => ConnectionCounts) => {
      new Gauge({
        name: 'portal_database_connections',
        help: 'Connections: open, of those idle, and callers waiting for one. The embedded engine has one.',
        labelNames: ['state'],
        registers,
        collect() {
          const { total, idle, waiting } = read();
          this.set({ state: 'total' }, total);
          this.set({ state: 'idle' }, idle);
          this.set({ state: 'waiting' }, waiting);
        },
      });
    },
  };
}

// Returns the label `route`. Built files have one common label, because their names change with each release: each name
// would add a time series.
function nameRoute(route: string | undefined): string {
  if (route === undefined) return 'page';
  return route.startsWith('/assets/') ? '/assets/*' : route;
}
