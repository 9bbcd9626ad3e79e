// Finds the parts of a name or an address that a search has matched (R-FIND-01).

/** A part of a text. `isMatch` is true if a word of the search begins a word of the text with this part. */
export type Part = { text: string; isMatch: boolean };

// The signs at which the server splits names and addresses (migration 0031).
const BETWEEN_WORDS = /[-\s.@+_'’`"“”„«»,;:()/]+/;
const WORDS = new RegExp(`(${BETWEEN_WORDS.source})`);

/** Returns the text without accents and in lower case. */
export function fold(text: string): string {
  return text
    .normalize('NFKD')
    .replace(/[\u0300-\u036f]/g, '')
    .toLowerCase()
    .replaceAll('ß', 'ss')
    .replaceAll('ø', 'o')
    .replaceAll('ł', 'l')
    .replaceAll('đ', 'd');
}

/** Returns the parts of `text`, in order. Adjacent parts without a match are one part. */
export function markWords(text: string, q: string): Part[] {
  const searched = q
    .split(BETWEEN_WORDS)
    .map(fold)
    .filter((word) => word !== '');
  const parts: Part[] = [];
  const add = (part: string, isMatch: boolean) => {
    const last = parts.at(-1);
    if (part === '') return;
    if (last && !last.isMatch && !isMatch) last.text += part;
    else parts.push({ text: part, isMatch });
  };
  for (const word of text.split(WORDS)) {
    const length = Math.max(...searched.map((begin) => lengthOfMatch(word, begin)), 0);
    add(word.slice(0, length), true);
    add(word.slice(length), false);
  }
  return parts;
}

// Returns how many characters of `word` stand for `begin`; 0 if the word does not begin so. A letter and its folded text
// may differ in length, so the characters are added one by one.
function lengthOfMatch(word: string, begin: string): number {
  if (!fold(word).startsWith(begin)) return 0;
  let length = 0;
  for (const letter of word) {
    // An accent may be a character of its own, after its letter.
    if (fold(word.slice(0, length)).length >= begin.length && fold(letter) !== '') break;
    length += letter.length;
  }
  return length;
}
