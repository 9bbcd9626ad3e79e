// Finds benefits among a learner's products, without a call (R-CAT-11).
import type { MyProduct } from '@portal/contract';

type Findable = Pick<MyProduct, 'name' | 'description' | 'category'>;

/** Up to this number of products, all are seen at a glance, so home has no search. */
const MOST_WITHOUT_SEARCH = 6;

export function hasFinder(products: readonly Findable[]): boolean {
  return products.length > MOST_WITHOUT_SEARCH;
}

/** Returns the different categories by name. Returns none if there is only one, which would divide nothing (N-243). */
export function listCategories(products: readonly Findable[], locale: string): string[] {
  const names = new Set(products.map(({ category }) => category).filter((name) => name !== null));
  return names.size < 2 ? [] : [...names].sort((a, b) => a.localeCompare(b, locale));
}

/** Without marks and case, so that 'cafe' finds 'Café'. */
const simplify = (text: string) => text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();

/** Returns the products of the category that contain each word of `q`. An empty text is no limit. */
export function findBenefits<Of extends Findable>(
  products: readonly Of[],
  { q, category }: { q: string; category: string },
): Of[] {
  const words = simplify(q).split(/\s+/).filter(Boolean);
  return products.filter((product) => {
    if (category && product.category !== category) return false;
    const text = simplify([product.name, product.category, product.description].join(' '));
    return words.every((word) => text.includes(word));
  });
}
