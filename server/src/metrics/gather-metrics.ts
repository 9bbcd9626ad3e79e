// Metrics of the whole portal: from the database (stock and job queue), and from all worker processes.
import cluster from 'node:cluster';
import { setTimeout as pause } from 'node:timers/promises';
import { AggregatorRegistry, Gauge, Registry } from 'prom-client';
import type { Clock } from '../day.ts';
import type { Database } from '../db/database.ts';
import { listStock } from '../features/codes/codes.sql.ts';
import { JOB_KINDS } from '../jobs/job-kinds.ts';
import { type JobFigures, measureJobs } from '../jobs/job-lists.sql.ts';

export type PortalMetricsTools = Clock & { db: Database };

/**
 * Time limit for the database and for the workers. It is shorter than Prometheus' time-out for a scrape (10 s), so that
 * a scrape succeeds even if the database or a worker does not respond. A scrape omits a worker that does not respond,
 * and the alert PortalWorkerMissing fires.
 */
const TIMEOUT_MS = 2_000;

/**
 * Reads the metrics from the database. If the database does not respond in two seconds, returns only the metric
 * `portal_database_up` with the value 0.
 */
export async function readPortalMetrics({ db, now, dayOf }: PortalMetricsTools): Promise<Registry> {
  const registry = new Registry();
  const add = (name: string, help: string, labelNames: string[] = []) =>
    new Gauge({ name, help, labelNames, registers: [registry] });
  const up = add('portal_database_up', 'Whether the database answers.');
  const read = Promise.all([listStock(db, dayOf(now())), measureJobs(db, now())]).catch(() => null);
  const figures = await Promise.race([read, pause(TIMEOUT_MS, null, { ref: false })]);
  up.set(figures === null ? 0 : 1);
  if (figures === null) return registry;

  const [stock, jobs] = figures;
  const ofProduct = ['product_id', 'product'];
  const all = 'Codes of a product, handed out or not, without void and expired ones.';
  const total = add('portal_product_codes', all, ofProduct);
  const free = add('portal_product_codes_free', 'Codes of a product not handed out.', ofProduct);
  for (const { product_id, name: product, total: codes, left } of stock) {
    total.set({ product_id, product }, codes);
    free.set({ product_id, product }, left);
  }
  const jobTexts: Record<Exclude<keyof JobFigures, 'kind'>, string> = {
    waiting: 'Jobs that are due or wait for their next try.',
    running: 'Jobs under way.',
    failed: 'Jobs that failed and were neither tried again nor cancelled.',
    oldest_seconds: 'Since the job that has waited longest became due; 0 without any.',
  };
  for (const [figure, help] of Object.entries(jobTexts)) {
    const gauge = add(`portal_jobs_${figure}`, help, ['kind']);
    for (const kind of Object.keys(JOB_KINDS)) {
      const found = jobs.find((each) => each.kind === kind);
      gauge.set({ kind }, found?.[figure as keyof typeof jobTexts] ?? 0);
    }
  }
  return registry;
}

// Messages between the primary process and its workers. A scrape reaches one worker, which sends REQUEST to the primary
// process. The primary process sends COLLECT to each worker. Each worker responds with RESULT, which the primary
// process sends to the worker with the id `requester`.
const REQUEST = 'portal:request-metrics';
const COLLECT = 'portal:collect-metrics';
const RESULT = 'portal:metrics-result';

/** `scrape` is the number of the scrape in the requesting worker. `of` is the number of workers that got COLLECT. */
type Message =
  | { type: typeof REQUEST; scrape: number }
  | { type: typeof COLLECT; scrape: number; requester: number; of: number }
  | { type: typeof RESULT; scrape: number; requester: number; of: number; figures: object };

/** Makes the primary process pass on the messages between the workers. */
export function passMetricsOn(): void {
  cluster.on('message', (sender, message: Message) => {
    if (message.type === REQUEST) {
      const { scrape } = message;
      const workers = Object.values(cluster.workers ?? {}).filter((worker) => worker?.isConnected());
      for (const worker of workers)
        worker?.send({ type: COLLECT, scrape, requester: sender.id, of: workers.length }, ignore);
    }
    if (message.type === RESULT) cluster.workers?.[message.requester]?.send(message, ignore);
  });
}

/**
 * Returns a function that returns the metrics of all workers. Without workers, the function returns the metrics of this
 * process, which are in `registry`.
 */
export function createGatherer(registry: Registry): () => Promise<Registry> {
  const { worker } = cluster;
  if (worker === undefined) return async () => registry;
  const pending = new Map<number, (result: Extract<Message, { type: typeof RESULT }>) => void>();
  let scrapes = 0;
  worker.on('message', async (message: Message) => {
    if (message.type === RESULT) pending.get(message.scrape)?.(message);
    if (message.type !== COLLECT) return;
    worker.send(
      { ...message, type: RESULT, figures: await registry.getMetricsAsJSON() } satisfies Message,
      ignore,
    );
  });
  return async () => {
    scrapes += 1;
    const scrape = scrapes;
    const results: object[] = [];
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, TIMEOUT_MS);
      pending.set(scrape, ({ figures, of }) => {
        results.push(figures);
        if (results.length < of) return;
        clearTimeout(timer);
        resolve();
      });
      worker.send({ type: REQUEST, scrape } satisfies Message, ignore);
    });
    pending.delete(scrape);
    return AggregatorRegistry.aggregate(results);
  };
}

// A callback for `send`. Without a callback, `send` to a process that has just ended would throw.
function ignore(): void {}
