// One scrape reaches one worker: how it gets the figures of the others, through the process above them.
import cluster from 'node:cluster';
import { AggregatorRegistry, type Registry } from 'prom-client';

const ASK = 'portal:ask-metrics';
const TELL = 'portal:tell-metrics';
const TOLD = 'portal:told-metrics';

/** A worker that is too busy to answer by then is left out, and missed by the alert on the number of workers. */
const PATIENCE_MS = 2_000;

type Message =
  | { type: typeof ASK; scrape: number }
  | { type: typeof TELL; scrape: number; asker: number; of: number }
  | { type: typeof TOLD; scrape: number; asker: number; of: number; figures: object };

/** In the process above the workers: passes a worker's question on to all of them, and their answers back. */
export function passMetricsOn(): void {
  cluster.on('message', (sender, message: Message) => {
    if (message.type === ASK) {
      const { scrape } = message;
      const workers = Object.values(cluster.workers ?? {}).filter((worker) => worker?.isConnected());
      for (const worker of workers)
        worker?.send({ type: TELL, scrape, asker: sender.id, of: workers.length }, ignore);
    }
    if (message.type === TOLD) cluster.workers?.[message.asker]?.send(message, ignore);
  });
}

/** In a worker: answers a function that reads the metrics of all; in a process without workers, of this one. */
export function createGatherer(registry: Registry): () => Promise<Registry> {
  const { worker } = cluster;
  if (worker === undefined) return async () => registry;
  const asked = new Map<number, (told: Extract<Message, { type: typeof TOLD }>) => void>();
  let scrapes = 0;
  worker.on('message', async (message: Message) => {
    if (message.type === TOLD) asked.get(message.scrape)?.(message);
    if (message.type !== TELL) return;
    worker.send(
      { ...message, type: TOLD, figures: await registry.getMetricsAsJSON() } satisfies Message,
      ignore,
    );
  });
  return async () => {
    scrapes += 1;
    const scrape = scrapes;
    const told: object[] = [];
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, PATIENCE_MS);
      asked.set(scrape, ({ figures, of }) => {
        told.push(figures);
        if (told.length < of) return;
        clearTimeout(timer);
        resolve();
      });
      worker.send({ type: ASK, scrape } satisfies Message, ignore);
    });
    asked.delete(scrape);
    return AggregatorRegistry.aggregate(told);
  };
}

// A process may have just ended; without somebody to tell, a message to it would end this one too.
function ignore(): void {}
