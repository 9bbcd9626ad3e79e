// A real browser: people with storage of their own, whose pages may not complain to the console.
import { mkdir } from 'node:fs/promises';
import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  chromium,
  type Locator,
  type Page,
} from 'playwright-core';
import { expect, onTestFinished } from 'vitest';
import { signIn } from './api.ts';
import type { Portal } from './portal.ts';

const ACTION_TIMEOUT_MS = 10_000;
const SCREENSHOTS = '.cache/e2e';

let pictures = 0;

export function openBrowser(): Promise<Browser> {
  return chromium.launch({ executablePath: process.env.CHROMIUM_PATH ?? '/usr/bin/chromium' });
}

/** One person at one browser. */
export type Person = {
  context: BrowserContext;
  /** The first tab. */
  page: Page;
  openTab(): Promise<Page>;
  /** Says that the console will complain so, as Chromium does about every refused call. */
  allowComplaint(words: RegExp): void;
  /** Calls to `path` that the pages have made so far. */
  countCalls(path: string): number;
};

/** Opens a browser without any storage; when the test ends it is closed, and complaints fail the test. */
export async function openPerson(
  { browser, portal }: { browser: Browser; portal: Portal },
  options: BrowserContextOptions = {},
): Promise<Person> {
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
  context.on('request', (request) => calls.push(new URL(request.url()).pathname));
  const page = await context.newPage();

  onTestFinished(async ({ task }) => {
    if (task.result?.state === 'fail') await takePictures(context, task.name);
    await context.close();
    expect(complaints.filter((words) => !allowed.some((pattern) => pattern.test(words)))).toEqual([]);
  });
  return {
    context,
    page,
    openTab: () => context.newPage(),
    allowComplaint: (words) => allowed.push(words),
    countCalls: (path) => calls.filter((called) => called === path).length,
  };
}

/** Signs in and arrives at `path`, as after a mailed link. */
export async function arriveSignedIn(
  person: Person,
  { portal }: { portal: Portal },
  email: string,
  path = '/',
): Promise<void> {
  const { access_token, refresh_token, expires_in, expires_at } = await signIn(portal, email);
  const fragment = new URLSearchParams({
    access_token,
    refresh_token,
    expires_in: String(expires_in),
    expires_at: String(expires_at),
    token_type: 'bearer',
    type: 'magiclink',
  });
  await person.page.goto(`/auth/callback?next=${encodeURIComponent(path)}#${fragment}`);
  await person.page.waitForURL((url) => url.pathname === path);
  await person.page.getByRole('banner').getByText(email).waitFor();
}

/** Waits until the page, or a part of it, shows these words, each as the whole text of an element. */
export async function see(page: Page | Locator, ...texts: (string | RegExp)[]): Promise<void> {
  for (const text of texts) {
    await page.getByText(text, { exact: true }).filter({ visible: true }).first().waitFor();
  }
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
