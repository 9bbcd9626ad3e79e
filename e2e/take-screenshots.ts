// Takes screenshots of the demo for docs/images. Needs the built pages (`npm run build`).
// `node e2e/take-screenshots.ts` takes all screenshots. With names as arguments, it takes only the named screenshots. A
// name may be a pattern, such as 'upload-*'. After a failure, it goes on with the next screenshot and ends with status 1.
import { writeFile } from 'node:fs/promises';
import { matchesGlob, resolve } from 'node:path';
import { listUsers } from '@portal/contract';
import type { Browser, Locator, Page, Route } from 'playwright-core';
import { callApi } from './harness/api.ts';
import { openBrowser, storeSession } from './harness/browser.ts';
import { DEMO_ADMIN, DEMO_LEARNER, startDemo } from './harness/demo.ts';
import { addAccessSample } from './screens/access-sample.ts';
import { listCohortScreens } from './screens/cohort-screens.ts';
import { listCouponScreens } from './screens/coupon-screens.ts';
import { listFileScreens } from './screens/file-screens.ts';
import { listLearnerScreens } from './screens/learner-screens.ts';
import { listPersonScreens } from './screens/person-screens.ts';
import { center, type Picture, SIZES } from './screens/picture.ts';
import { listProductScreens } from './screens/product-screens.ts';
import { listRoleScreens } from './screens/role-screens.ts';
import { addSample, FORMER_LEARNER, TEAM } from './screens/sample.ts';
import { listStaffScreens } from './screens/staff-screens.ts';
import { listTeamScreens } from './screens/team-screens.ts';
import { listUserScreens } from './screens/user-screens.ts';
import { listViewScreens } from './screens/view-screens.ts';

const FOLDER = resolve(import.meta.dirname, '../docs/images');
const QUALITY = 75;
/** Space above and below the part of a page that a screenshot shows. */
const MARGIN_PX = 24;
// The policy of the pages forbids changed styles.
const CONTEXT = { reducedMotion: 'reduce', bypassCSP: true } as const;

const wanted = process.argv.slice(2);
const demo = await startDemo();
const browser = await openBrowser();
try {
  for (const picture of await listPictures()) {
    const { name } = picture;
    if (wanted.length > 0 && !wanted.some((pattern) => matchesGlob(name, pattern))) continue;
    console.log(name);
    await take(browser, picture).catch((error) => {
      console.error(error);
      process.exitCode = 1;
    });
  }
} finally {
  await browser.close();
  await demo.stop();
}

async function listPictures(): Promise<Picture[]> {
  const sample = await addSample(demo);
  await addAccessSample(demo);
  const admin = storeSession(demo.url, await demo.signIn(DEMO_ADMIN));
  const learner = await demo.signIn(DEMO_LEARNER);
  const [product] = await demo.listProducts(learner);
  const record = `/admin/products/${product?.product_id}`;
  const ids = await findIds();
  const recordOf = (email: string) => `/admin/users/${ids.get(email)}`;
  return [
    ...(await listLearnerScreens(demo, sample)),
    ...listStaffScreens(admin),
    ...listProductScreens(admin, sample, record),
    ...listCouponScreens(admin, sample),
    ...listUserScreens(admin),
    ...listFileScreens(admin),
    ...listPersonScreens(admin, recordOf(FORMER_LEARNER), recordOf(TEAM[3].email)),
    ...listCohortScreens(admin, sample.cohorts),
    ...listViewScreens(admin, `/admin/view-as/${ids.get(DEMO_LEARNER)}`, await demo.listProducts(learner)),
    ...listTeamScreens(admin),
    ...listRoleScreens(admin, sample, record),
  ];
}

/** Returns the id of each user, by address. */
async function findIds(): Promise<Map<string, string>> {
  const { access_token: token } = await demo.signIn(DEMO_ADMIN);
  const users = await callApi(demo.url, listUsers, { token });
  return new Map(users.map(({ email, user_id }) => [email, user_id]));
}

async function take(by: Browser, { name, options, path, show, part, sizes = SIZES }: Picture): Promise<void> {
  for (const [size, viewport] of Object.entries(sizes)) {
    const context = await by.newContext({ ...options, ...CONTEXT, baseURL: demo.url, viewport });
    await context.route((url) => !url.pathname.startsWith('/api/'), waitForFonts);
    const page = await context.newPage();
    await page.goto(path);
    await show(page);
    await page.evaluate(() => document.fonts.ready.then(() => undefined));
    if (part) await center(part(page));
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      // The first screenshot forces a repaint in the new colours and is discarded.
      await page.screenshot();
      await save(page, [name, size, colorScheme].filter(Boolean).join('-'), part?.(page));
    }
    await context.close();
  }
}

/** Makes text wait for its font. Without this change of the styles, a page shows another font if its own arrives late. */
async function waitForFonts(route: Route): Promise<void> {
  if (!['document', 'stylesheet'].includes(route.request().resourceType())) return route.fallback();
  const response = await route.fetch();
  const body = (await response.text()).replaceAll('font-display:optional', 'font-display:block');
  await route.fulfill({ response, body });
}

/** Saves the screenshot as WebP, which needs a quarter of the bytes of PNG. Playwright itself does not write WebP. */
async function save(page: Page, file: string, part?: Locator): Promise<void> {
  const session = await page.context().newCDPSession(page);
  const clip = part && (await frame(page, part));
  const { data } = await session.send('Page.captureScreenshot', {
    format: 'webp',
    quality: QUALITY,
    ...(clip && { clip, captureBeyondViewport: true }),
  });
  await writeFile(`${FOLDER}/${file}.webp`, Buffer.from(data, 'base64'));
  await session.detach();
}

/** Returns the area of the document that contains `part` and a margin, over the full width of the window. */
async function frame(page: Page, part: Locator) {
  const top = await part.evaluate((element) => element.getBoundingClientRect().top + scrollY);
  const box = await part.boundingBox();
  return {
    x: 0,
    y: top - MARGIN_PX,
    width: page.viewportSize()?.width ?? 0,
    height: (box?.height ?? 0) + 2 * MARGIN_PX,
    scale: 1,
  };
}
