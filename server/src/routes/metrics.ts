// The figures for Prometheus at /metrics, of all processes in one scrape.
import { createHash, timingSafeEqual } from 'node:crypto';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Registry } from 'prom-client';
import { isLoopback } from '../config.ts';
import { type PortalFigures, readPortalMetrics } from '../metrics/portal-metrics.ts';
import { isFromThisMachine } from './from-this-machine.ts';

export type MetricsOptions = PortalFigures & {
  /** METRICS_TOKEN. */
  metricsToken: string | null;
  publicUrl: string;
  trustedProxies: number;
  /** The figures of each process. */
  gatherMetrics: () => Promise<Registry>;
};

/**
 * Responds to requests with the token. Without a token set, only to a client on this machine, and only while the portal is
 * private to it: a proxy that adds no header looks like such a client. Everybody else gets the 404 of an unknown address.
 */
export function handleMetrics(
  app: FastifyInstance,
  { metricsToken, publicUrl, trustedProxies, gatherMetrics, ...portal }: MetricsOptions,
): void {
  const isPrivate = isLoopback(publicUrl) && trustedProxies === 0;

  function isAllowed(request: FastifyRequest): boolean {
    if (metricsToken !== null) return isSame(request.headers.authorization ?? '', `Bearer ${metricsToken}`);
    // A page of another site that bends its own name to this machine comes with that name as Host.
    const asked = `http://${request.headers.host ?? ''}`;
    return isPrivate && URL.canParse(asked) && isLoopback(asked) && isFromThisMachine(request);
  }

  app.get(
    '/metrics',
    {
      schema: { hide: true },
      onRequest: async (request, reply) => {
        if (!isAllowed(request)) return reply.callNotFound();
      },
    },
    async (_request, reply) => {
      const [processes, whole] = await Promise.all([gatherMetrics(), readPortalMetrics(portal)]);
      const text = `${await processes.metrics()}\n${await whole.metrics()}`;
      return reply.type(processes.contentType).header('cache-control', 'no-store').send(text);
    },
  );
}

// Hashes have one length, so that the time tells nothing of the token's either.
function isSame(given: string, expected: string): boolean {
  const [a, b] = [given, expected].map((text) => createHash('sha256').update(text).digest());
  return a !== undefined && b !== undefined && timingSafeEqual(a, b);
}
