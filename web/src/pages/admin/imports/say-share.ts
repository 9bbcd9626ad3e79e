// Formats a share of a whole as a percentage.
import { sayNumber } from '../../../words/format.ts';

/** Returns '25%' for 0.25, in the current locale. */
export function sayShare(share: number): string {
  return sayNumber(share, { style: 'percent' });
}
