// Tests a rolling restart: two portals are replaced one after the other under load, and no request fails.
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { Agent, createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pipeline } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { startPostgres } from '../server/test/postgres.ts';
import { openAdmin, redeem, signIn } from './harness/api.ts';
import { openMailbox } from './harness/mailbox.ts';
import { makePlace, type Place, type Portal, startPortal } from './harness/portal.ts';

const LEARNERS = Array.from({ length: 8 }, (_, index) => `learner-${index}@learner.example`);
const POLL_MS = 250;

for (const WORKERS of ['1', '2']) {
  test(`no request fails while two portals of ${WORKERS} processes are stopped and replaced in turn`, async () => {
    const server = await startPostgres();
    onTestFinished(server.stop);
    const mailbox = await openMailbox();
    onTestFinished(() => mailbox.close());
    const places = [await makePlace(), await makePlace()];
    const proxy = await startProxy(places.map(({ port }) => port));
    onTestFinished(proxy.close);
    const env = {
      DATABASE_URL: server.url,
      SECRET_KEY: randomBytes(32).toString('base64'),
      // Access tokens contain the portal's public address, so both portals must have the same public address.
      PUBLIC_URL: proxy.url,
      WORKERS,
    };
    const open = (place: Place) => startPortal({ mailbox, place, env });
    const portals = await Promise.all(places.map(open));
    onTestFinished(async () => {
      for (const portal of portals) await portal.kill();
      for (const { dataDir } of places) await rm(dataDir, { recursive: true });
    });
    const [portal] = portals as [Portal];
    const tokens: string[] = [];
    for (const email of LEARNERS) tokens.push((await signIn(portal, email)).access_token);
    const admin = await openAdmin(portal);
    const product = await admin.addProduct();
    await admin.importCodes(
      product,
      LEARNERS.map((_, index) => `CODE-${index}`),
    );
    for (const email of LEARNERS) await admin.addLearner(email, product);

    await proxy.waitForAll();
    let loaded = true;
    const failures: unknown[] = [];
    const load = tokens.map(async (token) => {
      const codes = new Set<string>();
      while (loaded && failures.length === 0) {
        const code = await redeem(proxy.url, product.product_id, token).catch((error) =>
          failures.push(error),
        );
        codes.add(String(code));
      }
      return codes.size;
    });
    for (const [index, place] of places.entries()) {
      expect(await portals[index]?.stop()).toBe(0);
      portals[index] = await open(place);
      await proxy.waitForAll();
    }
    loaded = false;
    const codeCounts = await Promise.all(load);
    expect([...failures, ...proxy.proxyErrors]).toEqual([]);
    expect(codeCounts).toEqual(LEARNERS.map(() => 1));
    expect(proxy.refusedToBeReady, 'portals that announced their stop by 503').toBe(2);
  });
}

/**
 * Starts a minimal proxy. It distributes requests round-robin over keep-alive connections to the portals whose last
 * /readyz succeeded, and never retries a request.
 */
async function startProxy(ports: number[]) {
  const agent = new Agent({ keepAlive: true });
  const ready = new Set<number>();
  const proxyErrors: string[] = [];
  let refusedToBeReady = 0;
  let turn = 0;
  let polling = true;

  const polls = Promise.all(
    ports.map(async (port) => {
      while (polling) {
        const answer = await fetch(`http://127.0.0.1:${port}/readyz`).catch(() => null);
        if (answer?.ok) ready.add(port);
        else if (ready.delete(port) && answer?.status === 503) refusedToBeReady += 1;
        await delay(POLL_MS);
      }
    }),
  );
  const server = createServer((incoming, outgoing) => {
    const chosen = [...ready][turn++ % ready.size];
    const { method, url: path, headers } = incoming;
    const forwarded = request({ port: chosen, host: '127.0.0.1', agent, method, path, headers }, (answer) => {
      const { connection: _hop, ...kept } = answer.headers;
      outgoing.writeHead(answer.statusCode ?? 502, kept);
      pipeline(answer, outgoing, (error) => {
        if (error) proxyErrors.push(`answer to ${method} ${path} by ${chosen}: ${error.message}`);
      });
    });
    forwarded.on('error', (error) => {
      proxyErrors.push(`${method} ${path} to ${chosen}: ${error.message}`);
      outgoing.writeHead(502).end('{}');
    });
    incoming.pipe(forwarded);
  });
  // The proxy keeps its connections to clients open, because the test is only about connections between the proxy and
  // the portals.
  server.keepAliveTimeout = 0;
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    proxyErrors,
    get refusedToBeReady() {
      return refusedToBeReady;
    },
    waitForAll: () => expect.poll(() => ready.size).toBe(ports.length),
    close: async () => {
      polling = false;
      await polls;
      agent.destroy();
      server.closeAllConnections();
      server.close();
    },
  };
}
