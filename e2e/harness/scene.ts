// What every browser test stands on: a started portal, a browser, a mail receiver and an administrator.
import { rm } from 'node:fs/promises';
import type { Product } from '@portal/contract';
import type { Browser } from 'playwright-core';
import { test as baseTest, expect } from 'vitest';
import { type Admin, openAdmin } from './api.ts';
import { openBrowser } from './browser.ts';
import { type Mailbox, openMailbox } from './mailbox.ts';
import { makePlace, type Portal, startPortal } from './portal.ts';

export type Scene = { mailbox: Mailbox; portal: Portal; browser: Browser; admin: Admin };

type Env = Record<string, string>;

// Starting these costs as much as several tests, so the files that a worker runs share them.
const test = baseTest
  // biome-ignore lint/correctness/noEmptyPattern: Vitest reads from the pattern which fixtures this one needs.
  .extend('tools', { scope: 'worker' }, async ({}, { onCleanup }) => {
    const [mailbox, browser] = await Promise.all([openMailbox(), openBrowser()]);
    onCleanup(async () => {
      await browser.close();
      await mailbox.close();
    });
    return { mailbox, browser };
  })
  .extend('stage', { scope: 'worker' }, async ({ tools }, { onCleanup }) => {
    const portal = await startPortal(tools);
    // Vitest reports no error of this moment; `setOwnScene` checks the exit status.
    onCleanup(async () => void (await portal.stop()));
    return { portal, admin: await openAdmin(portal) };
  });

/**
 * Call it at the top of a test file: the scene is complete before the first test. The portal is shared with other files,
 * so each file uses addresses and names of its own and asserts nothing about the content of a whole list.
 */
export function setScene(): Scene {
  const scene = {} as Scene;
  test.beforeAll(({ tools, stage }) => {
    Object.assign(scene, tools, stage);
  });
  return scene;
}

/** As `setScene`, with an empty portal that no other file uses. `env` may depend on the portal's address. */
export function setOwnScene(env: Env | ((url: string) => Promise<Env>) = {}): Scene {
  const scene = {} as Scene;
  let place: Awaited<ReturnType<typeof makePlace>>;
  test.beforeAll(async ({ tools }) => {
    place = await makePlace();
    const settings = typeof env === 'function' ? await env(`http://127.0.0.1:${place.port}`) : env;
    const portal = await startPortal({ ...tools, place, env: settings });
    Object.assign(scene, tools, { portal });
    scene.admin = await openAdmin(portal);
  });
  test.afterAll(async () => {
    const status = await scene.portal?.stop();
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
