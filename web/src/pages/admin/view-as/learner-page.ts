// The parts of the learner's product page, imported dynamically, as the app imports that page. With static imports, the
// build would divide the file of the learner's page, which would cost learners one more request.
import { lazyPart, lazyScreen } from '../../../parts/lazy-screen.tsx';

const load = () => import('../../product/product-page.tsx');

export const OfferTicket = lazyPart(() => load().then((m) => m.OfferTicket), null);
export const IssuedTicket = lazyPart(() => load().then((m) => m.IssuedTicket), null);
/** Loads the ticket and the font for codes too, so that the page appears as a whole. */
export const ProductLayout = lazyScreen(async () => {
  const page = await load();
  await Promise.all([OfferTicket.load(), IssuedTicket.load(), page.loadCodeFace()]);
  return page.ProductLayout;
});
