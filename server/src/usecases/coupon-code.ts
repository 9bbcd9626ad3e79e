// How a code is made up when none was given.

// No 0 and O, no 1, I and L: what people type from a screen must not be guessed at.
const ALPHABET = '23456789ABCDEFGHJKMNPQRSTUVWXYZ';
const GROUPS = 3;
const GROUP_LENGTH = 4;

/** Fills bytes from a cryptographic source; passed in so that use cases hold no randomness of their own. */
export type RandomBytes = (count: number) => Uint8Array;

/** Twelve characters in three groups, such as `7KQM-2XWP-9FTD`: 59 bits from `randomBytes`. */
export function makeCouponCode(randomBytes: RandomBytes): string {
  const groups: string[] = [];
  while (groups.length < GROUPS) groups.push(makeGroup(randomBytes));
  return groups.join('-');
}

function makeGroup(randomBytes: RandomBytes): string {
  let group = '';
  while (group.length < GROUP_LENGTH) {
    const [byte = 0] = randomBytes(1);
    // A byte beyond the last whole multiple would favour the first letters.
    if (byte < ALPHABET.length * Math.floor(256 / ALPHABET.length)) group += ALPHABET[byte % ALPHABET.length];
  }
  return group;
}
