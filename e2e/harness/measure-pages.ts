// Home and a product page as a visitor gets them from the demo, audited in turn with a bare page of the same weight.
import { type BarePage, serveBarePage } from './bare-page.ts';
import { openBrowser } from './browser.ts';
import { DEMO_LEARNER, startDemo } from './demo.ts';
import { type Audit, auditPages, type Slowing } from './lighthouse.ts';
import { recordTransfers, type Transfer } from './transfers.ts';

export type PageFigures = Record<'home' | 'product' | 'bare' | 'early', Audit>;

/** Medians of five rounds; the bare page weighs what the product page does, the heavier of the two. */
export async function measurePages(slowing: Slowing = 'simulate'): Promise<PageFigures> {
  const demo = await startDemo();
  let bare: BarePage | undefined;
  try {
    const [product] = await demo.listProducts(await demo.signIn(DEMO_LEARNER));
    const address = `${demo.url}/product/${product?.product_id}`;
    bare = await serveBarePage(await weigh(address));
    const addresses = [demo.url, address, bare.url, bare.earlyUrl];
    const [home, productPage, barePage, earlyPage] = await auditPages(addresses, slowing);
    if (!home || !productPage || !barePage || !earlyPage) throw new Error('four pages were to be audited');
    return { home, product: productPage, bare: barePage, early: earlyPage };
  } finally {
    bare?.close();
    await demo.stop();
  }
}

async function weigh(address: string): Promise<Transfer[]> {
  const browser = await openBrowser();
  try {
    const page = await browser.newPage();
    const readTransfers = recordTransfers(page);
    await page.goto(address, { waitUntil: 'networkidle' });
    return await readTransfers();
  } finally {
    await browser.close();
  }
}
