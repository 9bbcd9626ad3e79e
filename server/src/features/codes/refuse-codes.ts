// Refuses codes in a reason or note of staff. Such a text is stored in the audit log, which must not contain codes.
import { canonicalKey } from '@portal/contract';
import { AppError } from '../../app-error.ts';
import type { Db } from '../../db/database.ts';
import { hasCode } from './codes-in-text.sql.ts';

/**
 * Compares the text with the codes of the products, in any spelling (see `hasCode`). A code with few letters and digits is
 * compared with each word, and with the parts between colons, commas and other separators. With null for `product_ids`,
 * compares the codes of all products.
 * @throws AppError invalid_request if the text contains a code.
 */
export async function refuseCodes(
  db: Db,
  typed: string | null | undefined,
  product_ids: readonly string[] | null,
): Promise<void> {
  if (!typed) return;
  const text = canonicalKey(typed);
  const words = text.split(/\s+/u);
  const bare = words.map((word) => word.replace(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu, ''));
  const parts = text.split(/[\s:;,=()<>[\]{}"'|/]+/u);
  const all = [...new Set([text, ...words, ...bare, ...parts])].filter((word) => word !== '');
  if (await hasCode(db, { text, words: all, product_ids }))
    throw new AppError('invalid_request', 'Leave the code out; name its last four characters.');
}
