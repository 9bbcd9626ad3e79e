// Generates coupon codes.

// Without 0, O, 1, I and L, because people who type a code from a screen confuse them.
const ALPHABET = '23456789ABCDEFGHJKMNPQRSTUVWXYZ';
const GROUPS = 3;
const GROUP_LENGTH = 4;

/** Returns `count` random bytes from a cryptographic source. Passed in, so that tests choose the bytes. */
export type RandomBytes = (count: number) => Uint8Array;

/** Returns twelve characters in three groups, such as `7KQM-2XWP-9FTD`: 59 bits of randomness. */
export function makeCouponCode(randomBytes: RandomBytes): string {
  const groups: string[] = [];
  while (groups.length < GROUPS) groups.push(makeGroup(randomBytes));
  return groups.join('-');
}

function makeGroup(randomBytes: RandomBytes): string {
  let group = '';
  while (group.length < GROUP_LENGTH) {
    const [byte = 0] = randomBytes(1);
    // Skips bytes from 248 on (8 times 31 letters), which would make the first letters more frequent.
    if (byte < ALPHABET.length * Math.floor(256 / ALPHABET.length)) group += ALPHABET[byte % ALPHABET.length];
  }
  return group;
}
