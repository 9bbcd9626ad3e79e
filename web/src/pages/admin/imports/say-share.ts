// Formats a share as a percentage.
import { sayNumber } from '../../../words/format.ts';

/** '25%' for 0.25. */
export function sayShare(share: number): string {
  return sayNumber(share, { style: 'percent' });
}
