// What every browser test stands on: one server, one browser, a mail receiver and an administrator a test file.
import { rm } from 'node:fs/promises';
import type { Product } from '@portal/contract';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect } from 'vitest';
import { type Admin, openAdmin } from './api.ts';
import { openBrowser } from './browser.ts';
import { type Mailbox, openMailbox } from './mailbox.ts';
import { makePlace, type Portal, startPortal } from './portal.ts';

export type Scene = { mailbox: Mailbox; portal: Portal; browser: Browser; admin: Admin };

type Env = Record<string, string>;

/**
 * Call it at the top of a test file: the scene is set before the first test and cleared after the last. `env` may
 * depend on the portal's address.
 */
export function setScene(env: Env | ((url: string) => Promise<Env>) = {}): Scene {
  const scene = {} as Scene;
  let place: Awaited<ReturnType<typeof makePlace>>;
  beforeAll(async () => {
    scene.mailbox = await openMailbox();
    place = await makePlace();
    const settings = typeof env === 'function' ? await env(`http://127.0.0.1:${place.port}`) : env;
    scene.portal = await startPortal({ mailbox: scene.mailbox, place, env: settings });
    scene.browser = await openBrowser();
    scene.admin = await openAdmin(scene.portal);
  });
  afterAll(async () => {
    await scene.browser?.close();
    const status = await scene.portal?.stop();
    await scene.mailbox?.close();
    if (place) await rm(place.dataDir, { recursive: true, force: true });
    expect(status, scene.portal?.output()).toBe(0);
  });
  return scene;
}

/** A new product with these codes, given to these learners. */
export async function offerProduct(
  { admin }: Scene,
  { learners = [], codes = [] }: { learners?: string[]; codes?: string[] },
): Promise<Product> {
  const product = await admin.addProduct();
  await admin.addCodes(product, ...codes);
  for (const email of learners) await admin.addLearner(email, product);
  return product;
}
