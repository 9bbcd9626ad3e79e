// The column of a list with the product to which the row belongs.
import { type Column, cutWords } from '../../../ui/columns.ts';
import { say } from '../../../words/say.ts';
import { ProductLink } from './product-link.tsx';

/** `names` has the names by the ids of the products. A product without a name, or no product, is shown as a dash. */
export const listProductColumn = <Row extends { product_id: string | null }>(
  names: ReadonlyMap<string, string>,
): Column<Row> => ({
  label: say('Product'),
  as: 'line',
  words: ({ product_id }) => cutWords(names.get(product_id ?? '') ?? '-', 30),
  draw: ({ product_id }, { text }) =>
    product_id === null ? text : <ProductLink to={product_id}>{text}</ProductLink>,
});
