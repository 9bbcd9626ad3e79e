// Remembers where a product's free codes begin, so that a claim does not scan the index entries of assigned codes.
import type { ClaimHint } from './redeem.sql.ts';

/**
 * `find` returns the hint for a product: the place of the code that this process assigned last. Returns null if this
 * process has assigned none of the product's codes. `record` stores a hint. If a claim fails after it has locked a
 * code, the code is free again. The caller of the claim then records the hint that was stored before the claim.
 */
export type ClaimHints = {
  find(product_id: string): ClaimHint | null;
  record(product_id: string, hint: ClaimHint | null): void;
};

/** Creates the claim hints of this process, in its memory. A hint takes about a hundred bytes per product. */
export function createClaimHints(): ClaimHints {
  const hints = new Map<string, ClaimHint | null>();
  return {
    find: (product_id) => hints.get(product_id) ?? null,
    record: (product_id, hint) => void hints.set(product_id, hint),
  };
}
