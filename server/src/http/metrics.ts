// Serves /metrics for Prometheus: metrics of each process, and metrics of the whole portal that are read from the
// database.
import { createHash, timingSafeEqual } from 'node:crypto';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Registry } from 'prom-client';
import { isLoopback } from '../config.ts';
import { type PortalMetricsTools, readPortalMetrics } from '../metrics/portal-metrics.ts';
import { isFromThisMachine } from './from-this-machine.ts';

export type MetricsOptions = PortalMetricsTools & {
  /** Value of the setting METRICS_TOKEN; null if the setting is missing. */
  metricsToken: string | null;
  publicUrl: string;
  trustedProxies: number;
  /** Reads the metrics of all processes. */
  gatherMetrics: () => Promise<Registry>;
};

/**
 * Registers /metrics. If a token is set, only requests with this token get the metrics.
 * If no token is set, only clients on this machine get the metrics. This also requires that PUBLIC_URL is a loopback
 * address and that no proxy is configured: a request through a proxy that adds no header looks like a local request.
 * All other requests get the 404 of an unknown path.
 */
export function handleMetrics(
  app: FastifyInstance,
  { metricsToken, publicUrl, trustedProxies, gatherMetrics, ...portal }: MetricsOptions,
): void {
  const isPrivate = isLoopback(publicUrl) && trustedProxies === 0;

  function isAllowed(request: FastifyRequest): boolean {
    if (metricsToken !== null) return isSame(request.headers.authorization ?? '', `Bearer ${metricsToken}`);
    // Prevents DNS rebinding: a website can let its own name resolve to 127.0.0.1, but the requests of its pages
    // contain that name as Host. So the Host must be a loopback address.
    const hostUrl = `http://${request.headers.host ?? ''}`;
    return isPrivate && URL.canParse(hostUrl) && isLoopback(hostUrl) && isFromThisMachine(request);
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
      const [processes, ofPortal] = await Promise.all([gatherMetrics(), readPortalMetrics(portal)]);
      const text = `${await processes.metrics()}\n${await ofPortal.metrics()}`;
      return reply.type(processes.contentType).header('cache-control', 'no-store').send(text);
    },
  );
}

// Compares hashes, which have equal lengths, so that the response time does not reveal the length of the token.
function isSame(given: string, expected: string): boolean {
  const [a, b] = [given, expected].map((text) => createHash('sha256').update(text).digest());
  return a !== undefined && b !== undefined && timingSafeEqual(a, b);
}
