// Metrics of the whole portal: of the database (stock and job queue), and of all worker processes together.
import cluster from 'node:cluster';
import { AggregatorRegistry, Gauge, Registry } from 'prom-client';
import type { Clock } from '../day.ts';
import type { Database } from '../db/database.ts';
import { listStock } from '../features/codes/codes.sql.ts';
import { JOB_KINDS } from '../jobs/job-kinds.ts';
import { type JobFigures, measureJobs } from '../jobs/job-lists.sql.ts';

export type PortalMetricsTools = Clock & { db: Database };

/**
 * Time limit for the database, and for the metrics of a worker. It is shorter than Prometheus' time-out for a scrape (10 s),
 * so that a scrape can still report that the database is down. If a worker does not respond in this time, the scrape omits
 * that worker, and the alert PortalWorkerMissing reports it.
 */
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

function timeOut(): Promise<null> {
  return new Promise((resolve) => setTimeout(resolve, TIMEOUT_MS, null).unref());
}

// Collects the metrics of all worker processes. A scrape reaches only one worker. That worker asks the primary process,
// which collects the metrics of the other workers.

const REQUEST = 'portal:request-metrics';
const COLLECT = 'portal:collect-metrics';
const RESULT = 'portal:metrics-result';

type Message =
  | { type: typeof REQUEST; scrape: number }
  | { type: typeof COLLECT; scrape: number; requester: number; of: number }
  | { type: typeof RESULT; scrape: number; requester: number; of: number; figures: object };

/**
 * Runs in the primary process. When a worker requests metrics, passes the request on to all workers, and passes all
 * workers' metrics back to the requesting worker.
 */
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
 * Returns a function that reads the metrics of all workers. If the portal runs without workers, the function returns
 * the metrics of this process.
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

// A callback for `send` that does nothing. Without a callback, a message to a process that has just ended would throw.
function ignore(): void {}
