// Chooses the encoding of a CSV file that is neither UTF-8 nor UTF-16, from the ranking of a detector (R-MAP-13).
import { decodeAs, type Encoding, findEncoding } from './csv.ts';
import { isOtherContent } from './csv-content.ts';

/** A guess of a detector. `encoding` is a name such as 'Windows-1250'. The best guess is the first of a ranking. */
export type EncodingGuess = { encoding: string | null };

/** The names of a detector for the encodings that the portal reads. */
const KNOWN: Record<string, Encoding> = {
  'windows-1250': 'windows-1250',
  'windows-1251': 'windows-1251',
  'windows-1252': 'windows-1252',
  'iso-8859-1': 'windows-1252',
  macroman: 'macintosh',
  shift_jis: 'shift_jis',
  cp932: 'shift_jis',
};
const SAMPLE_BYTES = 100_000;
const LINE_FEED = 0x0a;
/** The signs that Windows-1252 does not have are read as control characters. */
const CONTROLS = /[\u0080-\u009f]/;

/**
 * Returns the lines that have bytes beyond ASCII, up to 100,000 bytes, by which a detector chooses the encoding. Returns
 * null if `findEncoding` knows the encoding, or if the file is no CSV.
 */
export function takeSample(bytes: Uint8Array): Uint8Array | null {
  if (findEncoding(bytes) !== 'windows-1252') return null;
  if (isOtherContent(decodeAs(bytes.subarray(0, SAMPLE_BYTES), 'windows-1252'))) return null;
  const sample: number[] = [];
  let from = 0;
  let isBeyond = false;
  for (let at = 0; at < bytes.length && sample.length < SAMPLE_BYTES; at += 1) {
    const byte = bytes[at] as number;
    if (byte > 0x7f) isBeyond = true;
    if (byte !== LINE_FEED && at < bytes.length - 1) continue;
    if (isBeyond) for (const each of bytes.subarray(from, at + 1)) sample.push(each);
    [from, isBeyond] = [at + 1, false];
  }
  return new Uint8Array(sample);
}

/**
 * Returns the first encoding of the ranking that the portal reads. Mac Roman counts only if the file would have signs in
 * Windows-1252 that this encoding does not have (N-306).
 */
export function chooseEncoding(ranking: readonly EncodingGuess[], sample: Uint8Array): Encoding {
  const mayBeMac = CONTROLS.test(new TextDecoder('windows-1252').decode(sample));
  for (const { encoding } of ranking) {
    const known = KNOWN[encoding?.toLowerCase() ?? ''];
    if (known !== undefined && (known !== 'macintosh' || mayBeMac)) return known;
  }
  return 'windows-1252';
}
