// Remembers where a product's free codes begin, so that a claim does not scan all codes assigned before.

/**
 * `find` returns a position shortly before the product's next free code. The position may be wrong, so a claim that
 * finds no code looks again without it. `record` takes the position of a code that was just assigned.
 */
export type ClaimHints = { find(product_id: string): string; record(product_id: string, pos: string): void };

// Distance of the hint from the code assigned last. Concurrent claims commit out of order, so a code a little before
// the last one may still be free.
const SLACK = 500n;

/**
 * Creates hints in the memory of this process: a few dozen bytes a product. `find` returns '0' for an unknown product.
 */
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
