// The category and the value of a product, in a line. The product page of visitors uses it without the card.
import { classes } from '../ui/dom.ts';

type BenefitFactsProps = {
  benefit: { category: string | null; value: string | null };
  className: string;
};

/** Draws nothing if the product has neither. */
export function BenefitFacts({ benefit: { category, value }, className }: BenefitFactsProps) {
  if (!category && !value) return null;
  return (
    <span className={classes('block wrap-anywhere', className)}>
      {category && <bdi>{category}</bdi>}
      {category && value && ' · '}
      {value && <bdi>{value}</bdi>}
    </span>
  );
}
