// Screenshots of the pages for visitors and learners.
import type { Page } from 'playwright-core';
import { storeSession } from '../harness/browser.ts';
import { DEMO_LEARNER, type Demo } from '../harness/demo.ts';
import { changeDays, dayIn, refuseRedemptions, showCards } from '../harness/states.ts';
import { heading, type Picture } from './picture.ts';
import type { Sample } from './sample.ts';

const ticketOf = (page: Page) => page.getByRole('region', { name: 'Your coupon' });
const copy = (page: Page) => page.getByRole('button', { name: 'Copy', exact: true }).waitFor();

export async function listLearnerScreens(demo: Demo, sample: Sample): Promise<Picture[]> {
  const session = await demo.signIn(DEMO_LEARNER);
  const products = await demo.listProducts(session);
  const options = storeSession(demo.url, session);
  const path = `/product/${products[0]?.product_id}`;
  // Changes the server's responses, because the demo has no such products and codes.
  const ticket = (name: string, change: (page: Page) => Promise<void>, title?: string): Picture => ({
    name,
    options,
    path,
    part: ticketOf,
    show: async (page) => {
      await change(page);
      await page.reload();
      await (title ? ticketOf(page).getByRole('heading', { name: title }).waitFor() : copy(page));
    },
  });
  const refused = (name: string, title: string, ...refusal: [code: string, day?: string]): Picture =>
    ticket(name, (page) => refuseRedemptions(page, ...refusal), title);
  const dated = (name: string, days: Parameters<typeof changeDays>[1]): Picture =>
    ticket(name, (page) => changeDays(page, days));
  return [
    // The README shows this screenshot.
    { name: 'ticket', options, path, show: copy, sizes: { '': { width: 1080, height: 720 } } },
    { name: 'home-visitor', options: {}, path: '/', show: heading('Your course comes with benefits.') },
    {
      name: 'home-learner',
      options,
      path: '/',
      show: (page) => page.getByRole('article').first().waitFor(),
    },
    {
      name: 'home-states',
      options,
      path: '/',
      show: async (page) => {
        await showCards(page, products, { past: dayIn(-12), later: dayIn(30) });
        await page.reload();
        await page.getByRole('article').first().waitFor();
      },
    },
    { name: 'login', options: {}, path: '/', show: openLogin },
    { name: 'product', options, path, show: copy },
    dated('product-use-by', { use_by: dayIn(90) }),
    dated('product-last-week', { use_by: dayIn(3) }),
    dated('product-last-day-passed', { use_by: dayIn(-12) }),
    dated('product-replaced', { use_by: dayIn(90), replaced_on: dayIn(-1) }),
    refused('product-withdrawn', 'Code withdrawn', 'code_revoked'),
    refused('product-not-open', 'Not open yet', 'product_not_open', dayIn(30)),
    refused('product-not-started', 'Not yet yours', 'access_not_started', dayIn(30)),
    refused('product-paused', 'Paused', 'product_paused'),
    refused('product-ended', 'This offer has ended', 'product_ended'),
    {
      name: 'product-ended-visitor',
      options: {},
      path: sample.endedProduct,
      show: heading('This offer has ended'),
    },
    refused('product-access-ended', 'Your access has ended', 'access_ended', dayIn(-12)),
  ];
}

async function openLogin(page: Page): Promise<void> {
  await page.getByRole('banner').getByRole('button', { name: 'Login' }).click();
  await page.getByRole('dialog').getByRole('textbox').waitFor();
}
