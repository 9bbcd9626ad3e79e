// Generates coupon codes.

// Digits and letters without 0, O, 1, I and L, because people confuse these when they copy a code from a screen.
const ALPHABET = '23456789ABCDEFGHJKMNPQRSTUVWXYZ';
const GROUPS = 3;
const GROUP_LENGTH = 4;

/**
 * Returns `count` random bytes from a cryptographic source. Tests pass a function of this type that returns chosen
 * bytes.
 */
export type RandomBytes = (count: number) => Uint8Array;

/** Returns a code of twelve characters in three groups, such as `7KQM-2XWP-9FTD`. It has 59 bits of randomness. */
export function makeCouponCode(randomBytes: RandomBytes): string {
  const groups: string[] = [];
  while (groups.length < GROUPS) groups.push(makeGroup(randomBytes));
  return groups.join('-');
}

function makeGroup(randomBytes: RandomBytes): string {
  let group = '';
  while (group.length < GROUP_LENGTH) {
    const [byte = 0] = randomBytes(1);
    // Only bytes below 248 (8 times 31 characters) are used. With the bytes from 248 to 255, the first characters of
    // the alphabet would be more frequent than the others.
    if (byte < ALPHABET.length * Math.floor(256 / ALPHABET.length)) group += ALPHABET[byte % ALPHABET.length];
  }
  return group;
}
