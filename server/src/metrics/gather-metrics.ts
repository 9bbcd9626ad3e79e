// Collects the metrics of all worker processes. A scrape reaches only one worker. That worker asks the primary process,
// which collects the metrics of the other workers.
import cluster from 'node:cluster';
import { AggregatorRegistry, type Registry } from 'prom-client';

const REQUEST = 'portal:request-metrics';
const COLLECT = 'portal:collect-metrics';
const RESULT = 'portal:metrics-result';

/**
 * Time limit for the metrics of a worker. If a worker does not respond in this time, the scrape omits that worker, and
 * the alert PortalWorkerMissing reports the missing worker.
 */
const TIMEOUT_MS = 2_000;

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
