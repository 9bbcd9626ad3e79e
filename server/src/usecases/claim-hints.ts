// Remembers for each product the position at which its free codes begin. A claim that starts at this position does not
// read the assigned codes before it.

/**
 * `find` returns a position shortly before the next free code of a product. This position may be wrong. So a claim that
 * finds no code after the position must be repeated without a hint. `record` takes the position of a code that was just
 * assigned.
 */
export type ClaimHints = { find(product_id: string): string; record(product_id: string, pos: string): void };

// Distance between the hint and the code that was assigned last. Concurrent claims do not commit in the order of their
// codes, so a code shortly before the last one may still be free.
const SLACK = 500n;

/**
 * Creates claim hints in the memory of this process. The hint of one product needs a few dozen bytes. `find` returns
 * '0' for a product without a hint.
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
