// Metrics of the whole portal, not of one process: stock, job queue and database.
import { Gauge, Registry } from 'prom-client';
import type { Database } from '../db/database.ts';
import { listStock } from '../features/codes/stock.sql.ts';
import { JOB_KINDS } from '../jobs/job-kinds.ts';
import { measureJobs } from '../jobs/job-lists.sql.ts';

export type PortalMetricsTools = {
  db: Database;
  now: () => Date;
  /** Returns the date of `at` in the portal's time zone, as YYYY-MM-DD. */
  dayOf: (at: Date) => string;
};

/** Shorter than Prometheus' time-out for a scrape (10 s). So a scrape can still report that the database is down. */
const TIMEOUT_MS = 2_000;

/**
 * Reads the metrics from the database. If the database does not respond in two seconds, returns only
 * `portal_database_up` with the value 0. The other metrics are left out, because their earlier values would look
 * current.
 */
export async function readPortalMetrics({ db, now, dayOf }: PortalMetricsTools): Promise<Registry> {
  const registry = new Registry();
  const add = (name: string, help: string, labelNames: string[] = []) =>
    new Gauge({ name, help, labelNames, registers: [registry] });
  const up = add('portal_database_up', 'Whether the database answers.');
  const read = Promise.all([listStock(db, dayOf(now())), measureJobs(db, now())]).catch(() => null);
  const figures = await Promise.race([read, timeOut()]);
  up.set(figures === null ? 0 : 1);
  if (figures === null) return registry;

  const [stock, jobs] = figures;
  const total = add(
    'portal_product_codes',
    'Codes of a product, handed out or not, without void and expired ones.',
    ['product_id', 'product'],
  );
  const free = add('portal_product_codes_free', 'Codes of a product not handed out.', [
    'product_id',
    'product',
  ]);
  for (const { product_id, name: product, total: codes, left } of stock) {
    total.set({ product_id, product }, codes);
    free.set({ product_id, product }, left);
  }
  const gauges = {
    waiting: add('portal_jobs_waiting', 'Jobs that are due or wait for their next try.', ['kind']),
    running: add('portal_jobs_running', 'Jobs under way.', ['kind']),
    failed: add('portal_jobs_failed', 'Jobs that failed and were neither tried again nor cancelled.', [
      'kind',
    ]),
    oldest: add(
      'portal_jobs_oldest_seconds',
      'Since the job that has waited longest became due; 0 without any.',
      ['kind'],
    ),
  };
  for (const kind of Object.keys(JOB_KINDS)) {
    const found = jobs.find((figures) => figures.kind === kind);
    gauges.waiting.set({ kind }, found?.waiting ?? 0);
    gauges.running.set({ kind }, found?.running ?? 0);
    gauges.failed.set({ kind }, found?.failed ?? 0);
    gauges.oldest.set({ kind }, found?.oldest_seconds ?? 0);
  }
  return registry;
}

function timeOut(): Promise<null> {
  return new Promise((resolve) => setTimeout(resolve, TIMEOUT_MS, null).unref());
}
