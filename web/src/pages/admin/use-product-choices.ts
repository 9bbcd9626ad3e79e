// Provides the products as options of a select. Each option has a note with the number of codes left.
import { useProducts } from './use-products.ts';
import { useStock } from './use-stock.ts';

export function useProductChoices() {
  const { options, names } = useProducts();
  const stock = useStock();
  return { names, options: options.map((option) => ({ ...option, note: stock.sayLeft(option.value) })) };
}
