// The column of a list with the product to which the row belongs.
import { type Column, cutWords } from '../../../ui/columns.ts';
import { say } from '../../../words/say.ts';
import { ProductLink } from './product-link.tsx';

/**
 * `names` has the names by the ids of the products. Only a product with a name is a link (R-FIND-02). `sayUnnamed` returns
 * the text for a product without a name, which is a dash by default. A row without a product always has a dash.
 */
export const listProductColumn = <Row extends { product_id: string | null }>(
  names: ReadonlyMap<string, string>,
  sayUnnamed: (productId: string) => string = () => '-',
): Column<Row> => ({
  label: say('Product'),
  as: 'line',
  words: ({ product_id }) =>
    cutWords(product_id === null ? '-' : (names.get(product_id) ?? sayUnnamed(product_id)), 30),
  draw: ({ product_id }, { text }) =>
    product_id !== null && names.has(product_id) ? <ProductLink to={product_id}>{text}</ProductLink> : text,
});
