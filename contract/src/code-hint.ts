// The hint of a coupon code: its last characters, by which staff recognise a code that is hidden from them.

const LETTER_OR_DIGIT = /[\p{L}\p{Nd}]/gu;

/**
 * Returns the hint of a code: its last four letters and digits if it has twelve or more, its last two if it has eight to
 * eleven. Returns null for a shorter code, because a hint would give away too much of it. All other characters, such as
 * hyphens, are neither counted nor part of the hint (R-IMP-40).
 */
export function findHint(code: string): string | null {
  const characters = code.match(LETTER_OR_DIGIT) ?? [];
  if (characters.length < 8) return null;
  return characters.slice(characters.length < 12 ? -2 : -4).join('');
}

/** Returns the text that stands for a hidden code, such as ••••K5M7. Without a hint it is ••••. */
export function maskCode(hint: string | null): string {
  return `••••${hint ?? ''}`;
}
