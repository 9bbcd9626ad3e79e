// What one process counts and times itself: requests, statements, redemptions, sign-ins, its own health.
import { type ErrorCode, redeemCoupon } from '@portal/contract';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { ConnectionCounts } from '../db/database.ts';

// From an indexed read on the embedded engine to what a person takes for broken.
const REQUEST_SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
// Up to the 30 seconds after which PostgreSQL ends a statement.
const STATEMENT_SECONDS = [0.001, 0.005, 0.025, 0.1, 0.5, 2, 10, 30];

/** How a redemption may end. Calls without a sign-in or with a bad body are none. */
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

type Answered = {
  method: string;
  /** The pattern, such as /api/products/:id; undefined for a page. Never the address: people type into addresses. */
  route: string | undefined;
  status: number;
  seconds: number;
  /** The code of the error that was answered. */
  refusal: ErrorCode | null;
};

export type ProcessMetrics = ReturnType<typeof createProcessMetrics>;

/**
 * Opens the metrics of this process. Each sample says which `worker` it is of: sums over workers would fall whenever one
 * is replaced, and Prometheus would take that for new events. `workers` is how many there ought to be.
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
  // The library's own is left out where several processes answer one scrape.
  const startedAt = Math.round((performance.timeOrigin / 1000) * 10) / 10;
  new Gauge({
    name: 'portal_start_time_seconds',
    help: 'When the process started, Unix time.',
    registers,
  }).set(startedAt);
  new Gauge({ name: 'portal_workers', help: 'Processes configured (WORKERS).', registers }).set(workers);
  // A rate needs to have seen the zero.
  for (const outcome of ['issued', 'repeated', ...Object.values(OUTCOMES)]) redemptions.inc({ outcome }, 0);
  for (const method of ['otp', 'oauth']) signIns.inc({ method }, 0);

  return {
    registry,
    noteRequest: ({ method, route, status, seconds, refusal }: Answered) => {
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
    /** Shows how busy the database's connections are, asked at each scrape. */
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

// Built files are routes of their own, with a name that each release changes.
function nameRoute(route: string | undefined): string {
  if (route === undefined) return 'page';
  return route.startsWith('/assets/') ? '/assets/*' : route;
}
