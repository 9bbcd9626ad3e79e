// Opens Chromium for tests. Each person has separate storage, and an unexpected console message fails the test.
import { mkdir } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  chromium,
  type Locator,
  type Page,
} from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, onTestFinished, type TestContext } from 'vitest';
import { type Session, signIn } from './api.ts';
import type { Portal } from './portal.ts';

const ACTION_TIMEOUT_MS = 30_000;
/** Longer than any delay in the pages. A test that controls the clock of a page moves it on by this time. */
export const WELL_AFTER_ANY_DELAY_MS = 10_000;
const CLOSE_TIMEOUT_MS = 10_000;
const SCREENSHOTS = '.cache/e2e';
/** The localStorage key of the session (web/src/sign-in/session.ts). */
const SESSION_KEY = 'portal-auth';

let screenshotCount = 0;

/** `HEADED=1` shows the window; CHROMIUM_PATH must then name a full Chromium, not the headless shell. */
export function openBrowser(): Promise<Browser> {
  return chromium.launch({
    executablePath: process.env.CHROMIUM_PATH ?? '/usr/bin/chromium-headless-shell',
    headless: process.env.HEADED === undefined,
    // The headless browser hints glyphs by whole pixels: a full stop touches the next letter and nearly vanishes. The
    // browsers of users do not do that, so pictures and widths are taken without hinting.
    args: ['--font-render-hinting=none'],
  });
}

/** One user with one browser context. */
export type Person = {
  context: BrowserContext;
  /** The page in the first tab. */
  page: Page;
  openTab(): Promise<Page>;
  /** Allows console messages that match `words` in this test. Chromium logs each failed request as an error. */
  allowComplaint(words: RegExp): void;
  /** Returns the number of requests to `path` so far. Without `method`, counts the requests of all methods. */
  countCalls(path: string, method?: 'GET' | 'POST'): number;
};

type Stage = { browser: Browser; portal: Portal };

/**
 * Opens a browser context with empty storage, and closes the context at the end of the test. The test fails if a page
 * logs an unexpected console message.
 */
export async function openPerson(stage: Stage, options: BrowserContextOptions = {}): Promise<Person> {
  const { person, endTest } = await makePerson(stage, options);
  onTestFinished(async ({ task }) => {
    try {
      await endTest(task);
    } finally {
      await closeContext(person.context);
    }
  });
  return person;
}

/**
 * Returns one person for all tests of a file. `arrive` runs before the first test. Each test starts on the page where
 * the previous test ended, or on the first page if the previous test failed. Routes are removed after each test. An
 * unexpected console message fails the test that caused it.
 */
export function keepPerson(stage: Stage, arrive: (person: Person) => Promise<void>): Person {
  const kept = {} as Person;
  let endTest: (task: Task) => Promise<void>;
  let start = '';
  beforeAll(async () => {
    const made = await makePerson(stage, {});
    Object.assign(kept, made.person);
    endTest = made.endTest;
    await arrive(kept);
    start = kept.page.url();
  });
  afterEach(async ({ task }) => {
    await kept.page.unrouteAll({ behavior: 'ignoreErrors' });
    try {
      await endTest(task);
    } finally {
      // Starts again from the first page, so that one failure does not fail the following tests.
      if (task.result?.state === 'fail') await kept.page.goto(start);
    }
  });
  afterAll(() => kept.context && closeContext(kept.context));
  return kept;
}

type Task = TestContext['task'];

async function makePerson({ browser, portal }: Stage, options: BrowserContextOptions) {
  const context = await browser.newContext({
    baseURL: portal.url,
    permissions: ['clipboard-read', 'clipboard-write'],
    ...options,
  });
  context.setDefaultTimeout(ACTION_TIMEOUT_MS);
  const complaints: string[] = [];
  const allowed: RegExp[] = [];
  const calls: string[] = [];
  context.on('console', (message) => {
    if (!['error', 'warning'].includes(message.type())) return;
    complaints.push(`${message.type()}: ${message.text()} (${message.location().url})`);
  });
  context.on('weberror', (failure) => complaints.push(`uncaught: ${failure.error().stack}`));
  context.on('request', (request) => calls.push(`${request.method()} ${new URL(request.url()).pathname}`));
  const person: Person = {
    context,
    page: await context.newPage(),
    openTab: () => context.newPage(),
    allowComplaint: (words) => allowed.push(words),
    countCalls: (path, method) =>
      calls.filter((call) => (method ? call === `${method} ${path}` : call.endsWith(` ${path}`))).length,
  };
  const endTest = async (task: Task) => {
    if (task.result?.state === 'fail') await takeScreenshots(context, task.name);
    const patterns = allowed.splice(0);
    const unforeseen = complaints.splice(0).filter((words) => !patterns.some((each) => each.test(words)));
    expect(unforeseen).toEqual([]);
  };
  return { person, endTest };
}

/**
 * Signs in and returns the path of the sign-in callback with the session in the URL fragment. A mailed link redirects
 * to this callback path too. If `path` is given, the callback page then redirects to `path`.
 */
export async function makeCallbackPath(
  { portal }: { portal: Portal },
  email: string,
  path = '',
): Promise<string> {
  const { access_token, refresh_token, expires_in, expires_at } = await signIn(portal, email);
  const fragment = new URLSearchParams({
    access_token,
    refresh_token,
    expires_in: String(expires_in),
    expires_at: String(expires_at),
    token_type: 'bearer',
    type: 'magiclink',
  });
  const query = path && `?next=${encodeURIComponent(path)}`;
  return `/auth/callback${query}#${fragment}`;
}

/** Returns context options with the session stored, as in a browser that signed in before. */
export function storeSession(url: string, session: Session): Pick<BrowserContextOptions, 'storageState'> {
  const localStorage = [{ name: SESSION_KEY, value: JSON.stringify(session) }];
  return { storageState: { cookies: [], origins: [{ origin: url, localStorage }] } };
}

/** Stores a new session of `email` in the browser and opens `path`, without the sign-in pages. */
export async function arriveSignedIn(
  { page }: Person,
  { portal }: { portal: Portal },
  email: string,
  path = '/',
): Promise<void> {
  // A script can set the portal's localStorage only on a page of the portal. /healthz runs no script of its own.
  const [session] = await Promise.all([signIn(portal, email), page.goto('/healthz')]);
  await page.evaluate(
    ([key, value, to]) => {
      localStorage.setItem(key, value);
      location.replace(to);
    },
    [SESSION_KEY, JSON.stringify(session), path] as const,
  );
  await page.waitForURL((url) => url.pathname === path);
  await page.getByRole('banner').getByText(email).waitFor();
}

/** Ends the session on the server only, as a sign-out in another browser does; the page does not notice. */
export function endSessionRemotely(page: Page): Promise<void> {
  return page.evaluate(async () => {
    const { access_token } = JSON.parse(localStorage.getItem('portal-auth') ?? '{}');
    const headers = { Authorization: `Bearer ${access_token}` };
    await fetch('/auth/v1/logout?scope=local', { method: 'POST', headers });
  });
}

/** Waits until React has hydrated the pre-rendered page. */
export async function waitForHydration(page: Page): Promise<void> {
  await page.waitForFunction(() => document.documentElement.dataset.early === undefined);
}

/** Navigates to `path` inside the application, without loading a page from the server. */
export async function navigateInApp(page: Page, path: string): Promise<void> {
  await waitForHydration(page);
  await page.evaluate((to) => history.pushState(null, '', to), path);
}

/** Waits until the page, or a part of it, shows each text as the whole text of a visible element. */
export async function see(page: Page | Locator, ...texts: (string | RegExp)[]): Promise<void> {
  for (const text of texts) {
    await page.getByText(text, { exact: true }).filter({ visible: true }).first().waitFor();
  }
}

/** Waits until the notification shows exactly these words: its title and, if any, its description. */
export async function seeToast(
  page: Page,
  variant: 'default' | 'destructive',
  ...words: string[]
): Promise<void> {
  const shown = page.getByRole('region', { name: 'Notifications (F8)' }).locator('[data-variant]');
  const read = () =>
    shown.evaluateAll(([toast]) => [toast?.getAttribute('data-variant'), toast?.textContent.trim()]);
  await expect.poll(read).toEqual([variant, words.join(' ')]);
}

/** Waits for the notification like `seeToast`, then closes it. So the next check can only find a new notification. */
export async function takeToast(...toast: Parameters<typeof seeToast>): Promise<void> {
  await seeToast(...toast);
  const [page] = toast;
  const area = page.getByRole('region', { name: 'Notifications (F8)' });
  await area.getByRole('button', { name: 'Close' }).click();
  await area.locator('[data-variant]').waitFor({ state: 'detached' });
}

/**
 * Closes the context, or gives up after a time-out. Chromium sometimes confirms a close during a navigation but does
 * not close (microsoft/playwright#42366). Such a context ends with the browser.
 */
async function closeContext(context: BrowserContext): Promise<void> {
  await Promise.race([context.close(), sleep(CLOSE_TIMEOUT_MS, undefined, { ref: false })]);
}

async function takeScreenshots(context: BrowserContext, title: string): Promise<void> {
  await mkdir(SCREENSHOTS, { recursive: true });
  const name = title.replaceAll(/\W+/g, '-').slice(0, 80);
  for (const page of context.pages()) {
    screenshotCount += 1;
    await page
      .screenshot({ path: `${SCREENSHOTS}/${name}-${screenshotCount}.png`, fullPage: true })
      .catch(() => null);
  }
}
