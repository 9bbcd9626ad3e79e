// Remembers where a product's free codes begin, so that a claim does not scan the index entries of assigned codes.
import type { ClaimHint } from '../stores/claims.ts';

/**
 * `find` returns the place of the code that was assigned last in this process; null for a product of which none was.
 * `record` stores it. A claim that failed after it had locked a code calls `record` with the hint that it began with,
 * because the code is free again.
 */
export type ClaimHints = {
  find(product_id: string): ClaimHint | null;
  record(product_id: string, hint: ClaimHint | null): void;
};

/** Creates hints in the memory of this process: about a hundred bytes a product. */
export function createClaimHints(): ClaimHints {
  const hints = new Map<string, ClaimHint | null>();
  return {
    find: (product_id) => hints.get(product_id) ?? null,
    record: (product_id, hint) => void hints.set(product_id, hint),
  };
}
