// Name, description and perks of a product (R-PROD-06 to R-PROD-11).
import type { Product } from '@portal/contract';
import { Check } from 'lucide-react';
import { brand } from '../../brand.ts';
import { productIdOf } from '../../parts/product-id.ts';
import { cut } from '../../ui/cut.ts';
import { Icon } from '../../ui/icon.tsx';
import { Rosette } from '../../ui/rosette.tsx';
import { sayServed } from '../../words/say.ts';

/** Maximum length of the product's name, and below of the description, in characters (R-PROD-07, R-PROD-08). */
const NAME_LENGTH = 50;
const DESCRIPTION_LENGTH = 200;

export const HEAD_GRID =
  'mt-[clamp(1.5rem,3.5vw,2.75rem)] mb-[clamp(2rem,4vw,3rem)] grid items-start gap-y-5 ' +
  'md:grid-cols-[minmax(0,2fr)_minmax(17rem,1fr)]';
export const HEAD_TITLE =
  'flex flex-col items-start gap-x-5 gap-y-3.5 md:col-span-2 md:flex-row md:items-center';

/** The fields of a product that its page shows around the ticket. */
export type ShownProduct = Omit<Product, 'status' | 'opens_on'>;

export function ProductHead({ product }: { product: ShownProduct }) {
  return (
    <div className={HEAD_GRID}>
      <div className={HEAD_TITLE}>
        <Rosette
          id={productIdOf(product)}
          size={88}
          detail="mid"
          className="size-15 text-accent-text md:size-22"
        />
        <div>
          {product.header_text && (
            <p dir="auto" className="text-md wrap-anywhere text-ink-2">
              {product.header_text}
            </p>
          )}
          <h1 dir="auto" className="max-w-[24ch] text-3xl tracking-tight wrap-anywhere" title={product.name}>
            {cut(product.name, NAME_LENGTH)}
          </h1>
        </div>
      </div>
      <p dir="auto" className="max-w-[56ch] wrap-anywhere text-ink-2 md:pr-8 md:text-lg">
        {cut(product.description, DESCRIPTION_LENGTH)}
      </p>
      <ul className="grid gap-2 text-md">
        {brand.perks.map((perk) => (
          <li key={perk} className="flex items-start gap-2.5">
            <Icon of={Check} size={16} strong className="mt-0.75 text-accent-text" />
            {sayServed(perk)}
          </li>
        ))}
      </ul>
    </div>
  );
}
