// Counts the requests, statements, redemptions and sign-ins of one process, and measures how long they take.
import { type ErrorCode, redeemCoupon } from '@portal/contract';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { ConnectionCounts } from '../db/database.ts';

// Histogram buckets in seconds. The lowest bucket, 5 ms, is about the time of a request that reads one row by an index
// on the embedded engine. After 10 s, the highest bucket, users think that the request has failed.
const REQUEST_SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
// Histogram buckets in seconds. The highest bucket is 30 seconds, because PostgreSQL cancels a statement after 30
// seconds.
const STATEMENT_SECONDS = [0.001, 0.005, 0.025, 0.1, 0.5, 2, 10, 30];

/**
 * Maps the error code of a failed redemption to the label `outcome`. A call without a sign-in or with an invalid body
 * does not count as a redemption.
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
   * The pattern of the route, such as /api/products/:id; undefined for a page. The URL is not used, because it may
   * contain personal data.
   */
  route: string | undefined;
  status: number;
  seconds: number;
  /** Error code of the response; null if the call succeeded. */
  refusal: ErrorCode | null;
};

export type ProcessMetrics = ReturnType<typeof createProcessMetrics>;

/**
 * Creates the metrics of this process. Each sample has the label `worker`, so the metrics are not summed over the
 * workers. When a worker is replaced, the new worker starts at 0, so a sum would fall. Prometheus would take the fall
 * for a reset of the counter (0018). `workers` is the expected number of workers.
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
  // prom-client has a metric of the start time, but omits this metric when it aggregates several processes. So the
  // portal adds a metric of its own.
  const startedAt = Math.round((performance.timeOrigin / 1000) * 10) / 10;
  new Gauge({
    name: 'portal_start_time_seconds',
    help: 'When the process started, Unix time.',
    registers,
  }).set(startedAt);
  new Gauge({ name: 'portal_workers', help: 'Processes configured (WORKERS).', registers }).set(workers);
  // Each counter must exist with the value 0 before it counts. If a counter first appeared with 1, Prometheus' `rate()`
  // would ignore this first increment.
  for (const outcome of ['issued', 'repeated', ...Object.values(OUTCOMES)]) redemptions.inc({ outcome }, 0);
  for (const method of ['otp', 'oauth']) signIns.inc({ method }, 0);

  let calls = 0;
  return {
    registry,
    /** Counts a response to a call of the API. */
    noteCall: () => {
      calls += 1;
    },
    /** Returns the number of calls since the process started. Bulk jobs pause more while the portal serves many calls. */
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
    /** Adds a gauge for database connections. Each scrape calls `read` for the current numbers. */
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

// Each built file has its own route, and the file name changes with each release. So all built files share one value of
// the label `route`.
function nameRoute(route: string | undefined): string {
  if (route === undefined) return 'page';
  return route.startsWith('/assets/') ? '/assets/*' : route;
}
