// A real browser: people with storage of their own, whose pages may not complain to the console.
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
const CLOSE_TIMEOUT_MS = 10_000;
const SCREENSHOTS = '.cache/e2e';
/** Where the pages keep the session (web/src/sign-in-path.ts). */
const SESSION_KEY = 'portal-auth';

let pictures = 0;

/** `HEADED=1` shows the window; CHROMIUM_PATH must then name a browser that has one. */
export function openBrowser(): Promise<Browser> {
  return chromium.launch({
    executablePath: process.env.CHROMIUM_PATH ?? '/usr/bin/chromium-headless-shell',
    headless: process.env.HEADED === undefined,
  });
}

/** One person at one browser. */
export type Person = {
  context: BrowserContext;
  /** The first tab. */
  page: Page;
  openTab(): Promise<Page>;
  /** Says that the console will complain so, as Chromium does about every refused call. */
  allowComplaint(words: RegExp): void;
  /** Calls to `path` that the pages have made so far; without `method`, of any. */
  countCalls(path: string, method?: 'GET' | 'POST'): number;
};

type Stage = { browser: Browser; portal: Portal };

/** Opens a browser without any storage; when the test ends it is closed, and complaints fail the test. */
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
 * One person for all tests of a file, who has arrived before the first: each test begins where the one before ended,
 * or at the start when that one failed, and without what it had intercepted. Complaints fail the test in which they come.
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
      // One fault is not to fail the tests after it.
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
    if (task.result?.state === 'fail') await takePictures(context, task.name);
    const patterns = allowed.splice(0);
    const unforeseen = complaints.splice(0).filter((words) => !patterns.some((each) => each.test(words)));
    expect(unforeseen).toEqual([]);
  };
  return { person, endTest };
}

/** Signs in; answers the address at which a mailed link arrives, with the way back to `path` if it names one. */
export async function makeArrival({ portal }: { portal: Portal }, email: string, path = ''): Promise<string> {
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

/** A browser in which this session is stored already. */
export function storeSession(url: string, session: Session): Pick<BrowserContextOptions, 'storageState'> {
  const localStorage = [{ name: SESSION_KEY, value: JSON.stringify(session) }];
  return { storageState: { cookies: [], origins: [{ origin: url, localStorage }] } };
}

/** Opens `path` as somebody who signed in before: the session is stored, and no page of the sign-in is passed. */
export async function arriveSignedIn(
  { page }: Person,
  { portal }: { portal: Portal },
  email: string,
  path = '/',
): Promise<void> {
  const session = JSON.stringify(await signIn(portal, email));
  // An address of the same origin at which no script of the portal runs.
  await page.goto('/healthz');
  await page.evaluate(
    ([key, value, to]) => {
      localStorage.setItem(key, value);
      location.replace(to);
    },
    [SESSION_KEY, session, path] as const,
  );
  await page.waitForURL((url) => url.pathname === path);
  await page.getByRole('banner').getByText(email).waitFor();
}

/** Ends the session at the service, as another browser may: the page does not know. */
export function endSessionUnder(page: Page): Promise<void> {
  return page.evaluate(async () => {
    const { access_token } = JSON.parse(localStorage.getItem('portal-auth') ?? '{}');
    const headers = { Authorization: `Bearer ${access_token}` };
    await fetch('/auth/v1/logout?scope=local', { method: 'POST', headers });
  });
}

/** Waits until the scripts have taken over what the server rendered. */
export async function seeAtWork(page: Page): Promise<void> {
  await page.waitForFunction(() => document.documentElement.dataset.early === undefined);
}

/** Goes to `path` as a link within the application does, without the server. */
export async function goWithin(page: Page, path: string): Promise<void> {
  await seeAtWork(page);
  await page.evaluate((to) => history.pushState(null, '', to), path);
}

/** Waits until the page, or a part of it, shows these words, each as the whole text of an element. */
export async function see(page: Page | Locator, ...texts: (string | RegExp)[]): Promise<void> {
  for (const text of texts) {
    await page.getByText(text, { exact: true }).filter({ visible: true }).first().waitFor();
  }
}

/** Waits until the notification says these words, title and description, and no others. */
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

/** As `seeToast`, and closes it: the next one is another. */
export async function takeToast(...toast: Parameters<typeof seeToast>): Promise<void> {
  await seeToast(...toast);
  const [page] = toast;
  const area = page.getByRole('region', { name: 'Notifications (F8)' });
  await area.getByRole('button', { name: 'Close' }).click();
  await area.locator('[data-variant]').waitFor({ state: 'detached' });
}

/**
 * A close that meets the commit of a navigation is now and then acknowledged by Chromium and not done
 * (microsoft/playwright#42366), and would be waited for without an end: what is left then ends with the browser.
 */
async function closeContext(context: BrowserContext): Promise<void> {
  await Promise.race([context.close(), sleep(CLOSE_TIMEOUT_MS, undefined, { ref: false })]);
}

async function takePictures(context: BrowserContext, title: string): Promise<void> {
  await mkdir(SCREENSHOTS, { recursive: true });
  const name = title.replaceAll(/\W+/g, '-').slice(0, 80);
  for (const page of context.pages()) {
    pictures += 1;
    await page
      .screenshot({ path: `${SCREENSHOTS}/${name}-${pictures}.png`, fullPage: true })
      .catch(() => null);
  }
}
