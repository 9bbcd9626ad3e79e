// Sets up the fixtures of browser tests: a started portal, a browser, a mail server and an administrator.
import { rm } from 'node:fs/promises';
import type { Product } from '@portal/contract';
import type { Browser } from 'playwright-core';
import { test as baseTest, expect } from 'vitest';
import { type Admin, openAdmin } from './api.ts';
import { openBrowser } from './browser.ts';
import { type Mailbox, openMailbox } from './mailbox.ts';
import { makePlace, type Portal, startPortal } from './portal.ts';

export type Fixture = { mailbox: Mailbox; portal: Portal; browser: Browser; admin: Admin };

type Env = Record<string, string>;

// Starting the fixtures takes as long as several tests, so all files of one worker share them.
const test = baseTest
  // biome-ignore lint/correctness/noEmptyPattern: the pattern tells Vitest which fixtures this one needs (none).
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
    // Does not check the portal's exit status, because Vitest ignores errors in this clean-up. `setOwnFixture` checks
    // the exit status of its own portal.
    onCleanup(async () => void (await portal.stop()));
    return { portal, admin: await openAdmin(portal) };
  });

/**
 * Returns a fixture whose fields are set before the first test. Must be called at the top of a test file. Several files
 * use the same portal. So each file uses unique addresses and names, and never checks the content of a whole list.
 */
export function setFixture(): Fixture {
  const fixture = {} as Fixture;
  test.beforeAll(({ tools, stage }) => {
    Object.assign(fixture, tools, stage);
  });
  return fixture;
}

/** Sets up a fixture with a new, empty portal for this file only. `env` may depend on the portal's address. */
export function setOwnFixture(env: Env | ((url: string) => Promise<Env>) = {}): Fixture {
  const fixture = {} as Fixture;
  let place: Awaited<ReturnType<typeof makePlace>>;
  test.beforeAll(async ({ tools }) => {
    place = await makePlace();
    const settings = typeof env === 'function' ? await env(`http://127.0.0.1:${place.port}`) : env;
    const portal = await startPortal({ ...tools, place, env: settings });
    Object.assign(fixture, tools, { portal });
    fixture.admin = await openAdmin(portal);
  });
  test.afterAll(async () => {
    const status = await fixture.portal?.stop();
    if (place) await rm(place.dataDir, { recursive: true, force: true });
    expect(status, fixture.portal?.output()).toBe(0);
  });
  return fixture;
}

/** Creates a product with `codes` and gives the learners with these addresses access to it. */
export async function offerProduct(
  { admin }: Fixture,
  { learners = [], codes = [] }: { learners?: string[]; codes?: string[] },
): Promise<Product> {
  const product = await admin.addProduct();
  await admin.addCodes(product, ...codes);
  for (const email of learners) await admin.addLearner(email, product);
  return product;
}
