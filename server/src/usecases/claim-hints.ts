// Where to begin looking for a free code, so that claims do not walk over all that were handed out before.

/** Remembers, a product, about where its next free code lies; a guess that may be wrong, never a promise. */
export type ClaimHints = { find(product_id: string): string; record(product_id: string, pos: string): void };

// Claims under way at once in all processes may commit out of order; those rows lie within this many positions.
const SLACK = 500n;

/** Hints kept in this process's memory: a few dozen bytes a product. */
export function createClaimHints(): ClaimHints {
  const positions = new Map<string, bigint>();
  return {
    find: (product_id) => String(positions.get(product_id) ?? 0n),
    record: (product_id, pos) => {
      const hint = BigInt(pos) - SLACK;
      positions.set(product_id, hint > 0n ? hint : 0n);
    },
  };
}
