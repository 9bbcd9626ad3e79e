// The portal is replaced process by process under load, as a deployment does it: nobody notices.
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
const ASK_EVERY_MS = 250;

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
      // What tokens are issued for, so it is the same for all.
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
    const codesTold = await Promise.all(load);
    expect([...failures, ...proxy.faults]).toEqual([]);
    expect(codesTold).toEqual(LEARNERS.map(() => 1));
    expect(proxy.refusedToBeReady, 'portals that said they were about to stop').toBe(2);
  });
}

/**
 * A proxy as plain as they come: it sends requests, over connections that it keeps, in turn to those that last said they
 * were ready, and never tries one twice.
 */
async function startProxy(ports: number[]) {
  const agent = new Agent({ keepAlive: true });
  const ready = new Set<number>();
  const faults: string[] = [];
  let refusedToBeReady = 0;
  let turn = 0;
  let asking = true;

  const ask = Promise.all(
    ports.map(async (port) => {
      while (asking) {
        const answer = await fetch(`http://127.0.0.1:${port}/readyz`).catch(() => null);
        if (answer?.ok) ready.add(port);
        else if (ready.delete(port) && answer?.status === 503) refusedToBeReady += 1;
        await delay(ASK_EVERY_MS);
      }
    }),
  );
  const server = createServer((incoming, outgoing) => {
    const chosen = [...ready][turn++ % ready.size];
    const { method, url: path, headers } = incoming;
    const passed = request({ port: chosen, host: '127.0.0.1', agent, method, path, headers }, (answer) => {
      const { connection: _hop, ...kept } = answer.headers;
      outgoing.writeHead(answer.statusCode ?? 502, kept);
      pipeline(answer, outgoing, (error) => {
        if (error) faults.push(`answer to ${method} ${path} by ${chosen}: ${error.message}`);
      });
    });
    passed.on('error', (error) => {
      faults.push(`${method} ${path} to ${chosen}: ${error.message}`);
      outgoing.writeHead(502).end('{}');
    });
    incoming.pipe(passed);
  });
  // Callers' connections are no part of the question: the proxy leaves them open.
  server.keepAliveTimeout = 0;
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    faults,
    get refusedToBeReady() {
      return refusedToBeReady;
    },
    waitForAll: () => expect.poll(() => ready.size).toBe(ports.length),
    close: async () => {
      asking = false;
      await ask;
      agent.destroy();
      server.closeAllConnections();
      server.close();
    },
  };
}
