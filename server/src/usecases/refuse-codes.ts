// Refuses codes in a reason or note of staff. Such a text is stored in the audit log, which must not contain codes.
import { AppError } from '../app-error.ts';
import type { Db } from '../db/database.ts';
import { isAnyCode } from '../stores/codes-in-text.ts';

/**
 * Compares each word of the text with the codes of the products: as typed, without punctuation around it, and the parts
 * between colons, commas and other separators. With null for `product_ids`, compares the codes of all products.
 * @throws AppError invalid_request if a word is a code.
 */
export async function refuseCodes(
  db: Db,
  text: string | null | undefined,
  product_ids: readonly string[] | null,
): Promise<void> {
  if (!text) return;
  const typed = text.split(/\s+/u).filter((word) => word !== '');
  const bare = typed.map((word) => word.replace(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu, ''));
  const parts = text.split(/[\s:;,=()<>[\]{}"'|/]+/u).filter((word) => word !== '');
  const words = [...new Set([text, ...typed, ...bare, ...parts])];
  if (await isAnyCode(db, { words, product_ids }))
    throw new AppError('invalid_request', 'Leave the code out; name its last four characters.');
}
