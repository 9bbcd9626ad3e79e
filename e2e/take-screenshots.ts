// Takes the pictures that the README shows, of the demo: `node e2e/take-screenshots.ts`, after `npm run build`.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { chromium, type Page } from 'playwright-core';
import { findFreePort } from '../server/test/postgres.ts';

const ROOT = resolve(import.meta.dirname, '..');
const WIDTH = 1080;
const HEIGHT = 720;
const LEARNER = 'jonas@example.org';

const port = await findFreePort();
const url = `http://localhost:${port}`;
const portal = spawn(process.execPath, ['server/src/main.ts', '--demo'], {
  cwd: ROOT,
  env: { PATH: process.env.PATH, PORT: String(port) },
  stdio: ['ignore', 'pipe', 'inherit'],
});
// The address is the last line that a start prints.
for await (const chunk of portal.stdout) if (String(chunk).includes(`Portal: ${url}`)) break;

const browser = await chromium.launch({ executablePath: process.env.CHROMIUM_PATH ?? '/usr/bin/chromium' });
try {
  const page = await browser.newPage({ viewport: { width: WIDTH, height: HEIGHT }, reducedMotion: 'reduce' });
  await signIn(page);
  await page
    .getByRole('link', { name: /Redeem Now/ })
    .last()
    .click();
  await page.getByRole('button', { name: 'Copy', exact: true }).waitFor();
  await page.evaluate(() => document.fonts.ready);
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    await page.screenshot({ path: resolve(ROOT, `docs/images/ticket-${colorScheme}.png`) });
  }
} finally {
  await browser.close();
  portal.kill('SIGTERM');
  await once(portal, 'exit');
}

async function signIn(page: Page): Promise<void> {
  await page.goto(url);
  await page.getByRole('button', { name: 'Login', exact: true }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('textbox').fill(LEARNER);
  await dialog.getByRole('button', { name: 'Send Magic Link' }).click();
  await page.getByText('Magic Link Sent!').waitFor();
  await page.goto(await readLink());
  await page.getByRole('heading', { name: 'Your Partner Benefits' }).waitFor();
}

async function readLink(): Promise<string> {
  for (;;) {
    const mails = (await (await fetch(`${url}/dev/outbox.json`)).json()) as { to: string; links: string[] }[];
    const link = mails.find(({ to }) => to === LEARNER)?.links[0];
    if (link !== undefined) return link;
  }
}
