// Makes text canonical: texts that look the same become the same text (R-MAP-01, N-301).

const ASCII_ONLY = /^[ -~]*$/;
const IGNORABLE = /\p{Default_Ignorable_Code_Point}/gu;
// Persian, Hindi and other scripts need ZWNJ and ZWJ between letters: ZWNJ and ZWJ determine how the letters are joined.
const VISIBLE_LETTER = '(?!\\p{Default_Ignorable_Code_Point})[\\p{L}\\p{M}]';
const JOINS_LETTERS = `(?<=${VISIBLE_LETTER})[\\u200C\\u200D](?=${VISIBLE_LETTER})`;
// ZWJ joins the parts of an emoji. U+FE0F selects the colourful form of an emoji.
const JOINS_EMOJI = '(?<=[\\p{Extended_Pictographic}\\p{Emoji_Modifier}]\\uFE0F?)[\\u200D\\uFE0F]';
const IGNORABLE_IN_LINE = /* @__PURE__ */ new RegExp(
  `(?!${JOINS_LETTERS})\\p{Default_Ignorable_Code_Point}`,
  'gu',
);
const IGNORABLE_IN_TEXT = /* @__PURE__ */ new RegExp(
  `(?!${JOINS_LETTERS}|${JOINS_EMOJI})\\p{Default_Ignorable_Code_Point}`,
  'gu',
);
const LINE_SEPARATOR = /[\u0085\u2028\u2029]/g;
const FULL_WIDTH = /[\uFF01-\uFF5E]/g;
const FULL_WIDTH_OFFSET = 0xfee0;

/**
 * Returns the canonical form of a text of one line, such as a name. The result is trimmed, in Unicode's form NFC, and
 * without invisible characters, except ZWJ and ZWNJ between letters. Any space, tab or line break becomes a plain space.
 * Is idempotent.
 */
export function canonicalLine(text: string): string {
  if (ASCII_ONLY.test(text)) return text.trim();
  return text
    .replaceAll(IGNORABLE_IN_LINE, '')
    .replaceAll(/[\s\u0085]/g, ' ')
    .normalize('NFC')
    .trim();
}

/** Does the same as `canonicalLine` for a text of several lines, but keeps tabs, line breaks and the parts of emoji. */
export function canonicalText(text: string): string {
  if (ASCII_ONLY.test(text)) return text.trim();
  return text
    .replaceAll(IGNORABLE_IN_TEXT, '')
    .replaceAll(LINE_SEPARATOR, '\n')
    .replaceAll(/\p{Zs}/gu, ' ')
    .normalize('NFC')
    .trim();
}

/**
 * Returns the canonical form of a code, an address, a search text, or the name of a column: as `canonicalLine`, but
 * without ZWJ and ZWNJ, and with ASCII for full-width characters. The SQL function `canonical_key` does the same.
 */
export function canonicalKey(text: string): string {
  if (ASCII_ONLY.test(text)) return text.trim();
  return text
    .replaceAll(IGNORABLE, '')
    .replaceAll(/[\s\u0085]/g, ' ')
    .replaceAll(FULL_WIDTH, (sign) => String.fromCharCode(sign.charCodeAt(0) - FULL_WIDTH_OFFSET))
    .normalize('NFC')
    .trim();
}

/**
 * Returns the canonical form of an e-mail address: as `canonicalKey`, in lower case, with the domain in its ASCII form
 * (R-MAP-03). Does not check whether the text is an address.
 */
export function canonicalAddress(text: string): string {
  const address = canonicalKey(text.toLowerCase());
  const at = address.lastIndexOf('@') + 1;
  const domain = address.slice(at);
  if (ASCII_ONLY.test(domain) || /[/?#@:\\%[\]\s]/.test(domain)) return address;
  return address.slice(0, at) + (URL.parse(`https://${domain}`)?.hostname ?? domain);
}

/** Replaces each decimal digit of any script by the ASCII digit of the same value (R-MAP-04). */
export function foldDigits(text: string): string {
  return text.replaceAll(/\p{Nd}/gu, (digit) => String(valueOfDigit(digit)));
}

// In Unicode, the ten digits of a script have consecutive code points. The digits of another script may come directly
// before them, therefore the remainder.
function valueOfDigit(digit: string): number {
  const code = digit.codePointAt(0) ?? 0;
  let first = code;
  while (/\p{Nd}/u.test(String.fromCodePoint(first - 1))) first -= 1;
  return (code - first) % 10;
}
