// Measures the main-thread time from a click to the frame that shows the effect of the click. Compares this time to the
// time of a click on the "bare button": a button that the benchmark adds to the page, and whose click only sets an
// attribute.
import type { Browser, CDPSession, Locator, Page, Route } from 'playwright-core';
import { openAdminPage } from '../e2e/harness/admin-pages.ts';
import { storeSession } from '../e2e/harness/browser.ts';
import { DEMO_ADMIN, DEMO_LEARNER, type Demo } from '../e2e/harness/demo.ts';
import { show, showRatios } from './format.ts';

const ROUNDS = 5;
/** Measured times are multiplied by this factor, so that the results estimate the times on a slower processor. */
const SLOWDOWN = 4;
const REDEEM_CALL = '**/api/redeem-secure';

type Interaction = {
  name: string;
  page: Page;
  button: Locator;
  /** Selector of the element that the click adds to the page. */
  effect: string;
  /** Loads the page again. Runs at the start of each round. */
  load?: () => Promise<unknown>;
  /** A user's steps before the click, such as moving the mouse over the button. Not measured. */
  prepare?: () => Promise<unknown>;
  /** Undoes the effect of the click, so that the next round can click again. */
  undo?: () => Promise<unknown>;
};

/** Returns one table row per interaction: name, milliseconds, milliseconds of the bare button, ratio of the two. */
export async function measureInteractions(browser: Browser, demo: Demo): Promise<string[][]> {
  return [
    ...(await measureVisitor(browser, demo)),
    ...(await measureLearner(browser, demo)),
    ...(await measureAdmin(browser, demo)),
  ];
}

async function measureVisitor(browser: Browser, { url }: Demo): Promise<string[][]> {
  const page = await browser.newPage({ baseURL: url });
  const button = page.getByRole('banner').getByRole('button', { name: 'Login' });
  const login: Interaction = {
    name: 'Login, on a page just loaded',
    page,
    button,
    effect: 'dialog[open]',
    load: async () => {
      await page.goto('/');
      await page.waitForLoadState('networkidle');
    },
    // The page downloads the script of the dialog as soon as the mouse is over the button.
    prepare: async () => {
      await button.hover();
      await page.locator('dialog').waitFor({ state: 'attached' });
    },
  };
  const rows = [await measure(login)];
  await page.close();
  return rows;
}

async function measureLearner(browser: Browser, demo: Demo): Promise<string[][]> {
  const session = await demo.signIn(DEMO_LEARNER);
  // Uses the last product, because the demo learner already has codes of the first products.
  const product = (await demo.listProducts(session)).at(-1);
  const context = await browser.newContext({
    baseURL: demo.url,
    permissions: ['clipboard-write'],
    ...storeSession(demo.url, session),
  });
  const page = await context.newPage();
  let called = Promise.withResolvers<Route>();
  await page.route(REDEEM_CALL, (route) => called.resolve(route));
  const failCall = async () => {
    const route = await called.promise;
    called = Promise.withResolvers();
    await route.abort();
    await page.locator('main button[aria-busy]').waitFor({ state: 'detached' });
  };
  // The page calls the server to redeem as soon as the page opens. This first call is aborted, because after a
  // successful call the page would show a code instead of the button 'Redeem Now'.
  await page.goto(`/product/${product?.product_id}`);
  await failCall();
  const button = page.getByRole('button', { name: 'Redeem Now' });
  const redeem: Interaction = {
    name: 'Redeem Now',
    page,
    button,
    effect: 'main button[aria-busy]',
    undo: failCall,
  };
  const rows = [await measure(redeem)];
  await page.unroute(REDEEM_CALL);
  await button.click();
  const copy = page.getByRole('button', { name: 'Copy', exact: true });
  await copy.waitFor();
  // Needs no `undo`: the check mark on the button disappears by itself after a moment.
  rows.push(await measure({ name: 'Copy', page, button: copy, effect: 'main button .lucide-check' }));
  await context.close();
  return rows;
}

async function measureAdmin(browser: Browser, demo: Demo): Promise<string[][]> {
  const admin = storeSession(demo.url, await demo.signIn(DEMO_ADMIN));
  const context = await browser.newContext({ baseURL: demo.url, ...admin });
  const page = await context.newPage();
  await page.goto('/admin');
  const seeCodes = () => page.getByRole('cell').first().waitFor();
  for (const name of ['Products', 'Users', 'Coupons'] as const) await openAdminPage(page, name);
  await seeCodes();
  const tab: Interaction = {
    name: 'a tab of the administrators',
    page,
    button: page.getByRole('navigation', { name: 'Admin' }).getByRole('link', { name: 'Users' }),
    effect: 'nav a[aria-current][href="/admin/users"]',
    undo: async () => {
      await openAdminPage(page, 'Coupons');
      await seeCodes();
    },
  };
  const choices = page.getByRole('main').getByRole('group').getByRole('button');
  const filter: Interaction = {
    name: 'a filter of a list',
    page,
    button: choices.nth(1),
    effect: 'main fieldset button:nth-of-type(2)[aria-pressed=true]',
    undo: async () => {
      await choices.first().click();
      await seeCodes();
    },
  };
  const rows = [await measure(tab), await measure(filter)];
  await context.close();
  return rows;
}

async function measure({ name, page, button, effect, load, prepare, undo }: Interaction): Promise<string[]> {
  const spent: number[] = [];
  const bare: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    await load?.();
    bare.push(await timeBareClick(page));
    await prepare?.();
    spent.push(await timeClick(page, button, effect));
    await undo?.();
  }
  return [name, show(spent), show(bare), showRatios(spent, bare)];
}

async function timeBareClick(page: Page): Promise<number> {
  await page.evaluate(() => {
    const button = document.createElement('button');
    button.textContent = 'Bare';
    button.onclick = () => button.toggleAttribute('data-pressed');
    document.body.prepend(button);
  });
  const button = page.getByRole('button', { name: 'Bare', exact: true });
  const spent = await timeClick(page, button, '[data-pressed]');
  await button.evaluate((element) => element.remove());
  return spent;
}

/**
 * Clicks `button` and waits for the first frame that contains an element of the CSS selector `effect`. Returns the
 * processor time of the page's main thread in milliseconds, as on a processor SLOWDOWN times slower. Processor time is
 * used instead of clock time, so that other processes on the machine do not affect the result.
 */
async function timeClick(page: Page, button: Locator, effect: string): Promise<number> {
  await page.locator(effect).waitFor({ state: 'detached' });
  await button.hover();
  const session = await page.context().newCDPSession(page);
  await session.send('Performance.enable', { timeDomain: 'threadTicks' });
  await session.send('Debugger.enable');
  const paused = new Promise((resolve) => session.once('Debugger.paused', resolve));
  const shown = page.evaluate(pauseOnceShown, effect);
  const before = await readWork(session);
  await page.mouse.down();
  await page.mouse.up();
  await paused;
  const after = await readWork(session);
  await session.send('Debugger.resume');
  await shown;
  await session.detach();
  return Math.round((after - before) * SLOWDOWN);
}

/**
 * Pauses the main thread after the first frame that contains `selector`, so that later work is not measured. The
 * browser runs this function inside the page.
 */
function pauseOnceShown(selector: string): Promise<void> {
  return new Promise((resolve) => {
    const stop = () => {
      // biome-ignore lint/suspicious/noDebugger: only a breakpoint pauses the main thread without adding work to it.
      debugger;
      resolve();
    };
    const look = () => {
      if (document.querySelector(selector) === null) return requestAnimationFrame(look);
      // The browser paints the frame first and then runs `stop`. With its high priority, `stop` runs before other work
      // that the page has scheduled for the time after the paint.
      return scheduler.postTask(stop, { priority: 'user-blocking' });
    };
    look();
  });
}

async function readWork(session: CDPSession): Promise<number> {
  const { metrics } = await session.send('Performance.getMetrics');
  return (metrics.find(({ name }) => name === 'TaskDuration')?.value ?? Number.NaN) * 1000;
}
