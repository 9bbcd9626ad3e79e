// Screenshots of the view of a learner, as a member of the team sees it.
import type { MyProduct, MyProductState } from '@portal/contract';
import type { BrowserContextOptions } from 'playwright-core';
import { heading, type Picture } from './picture.ts';

/** `path` is the address of the view. `products` are the products of the learner. */
export function listViewScreens(
  options: BrowserContextOptions,
  path: string,
  products: readonly MyProduct[],
): Picture[] {
  const pageOf = (state: MyProductState) =>
    `${path}/product/${products.find((product) => product.state === state)?.product_id}`;
  return [
    { name: 'view-as', options, path, show: heading('Your Partner Benefits') },
    {
      name: 'view-as-product',
      options,
      path: pageOf('issued'),
      show: (page) => page.getByRole('button', { name: /^Show the/ }).waitFor(),
    },
    {
      name: 'view-as-product-ready',
      options,
      path: pageOf('ready'),
      show: (page) => page.getByText(/^Only .* can do this$/).waitFor(),
    },
  ];
}
