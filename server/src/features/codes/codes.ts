// Adds one code to a product. Hides codes from staff who may see only the last characters of a code (R-IMP-41,
// R-IMP-44, R-IMP-46). Rejects reasons and notes that contain a code.
import {
  type Coupon,
  canonicalKey,
  dayField,
  findSuffix,
  hasRole,
  type ImportState,
  type IssuedCoupon,
  maskCode,
  type NewCoupon,
  type RevokedCoupon,
} from '@portal/contract';
import { AppError } from '../../app-error.ts';
import type { WithUploader } from '../../bulk/bulk-jobs.sql.ts';
import { USE_BY_FAULT } from '../../bulk/read-file.ts';
import type { Clock } from '../../day.ts';
import type { Database, Db } from '../../db/database.ts';
import { createAuditLine } from '../log/audit.sql.ts';
import { findCodeTarget } from '../products/products.sql.ts';
import { isAssignedBy } from '../redeem/redeem.sql.ts';
import type { Member } from '../team/callers.sql.ts';
import { createBatch, createCoupon as insertCoupon, noteGenerated } from './batches.sql.ts';
import { findStoredCoupon, hasCode, type StoredCoupon } from './codes.sql.ts';

/**
 * Adds the code, with the product's default last day. Generates the code if `coupon_code` is null.
 * @throws AppError product_not_found; duplicate_code if the product already has the code and its codes are not shared;
 * invalid_request if the default last day is not after today.
 */
export async function createCoupon(
  db: Database,
  { actor, coupon }: { actor: string; coupon: NewCoupon },
  { now, dayOf, randomBytes }: Clock & { randomBytes: RandomBytes },
): Promise<Coupon> {
  const { product_id } = coupon;
  const product = await findCodeTarget(db, product_id);
  if (product === null || product.is_archived) throw new AppError('product_not_found', 'Product not found');
  const { shared_coupon: shared, use_by_default } = product;
  if (use_by_default !== null && use_by_default <= dayOf(now()))
    throw new AppError('invalid_request', USE_BY_FAULT);
  const isGenerated = coupon.coupon_code === null;
  const coupon_code = coupon.coupon_code ?? makeCouponCode(randomBytes);
  return db.transaction(async (tx) => {
    // The batch has the source 'form' even if the code is generated. The source 'generated' is only for codes that were
    // generated for one user (see the SQL function is_usable_shared_code).
    const batch_id = await createBatch(tx, { product_id, source: 'form', created_by: actor, codes: 1 });
    const use_by = use_by_default ?? 'infinity';
    const created = await insertCoupon(tx, {
      ...{ ...coupon, batch_id, coupon_code, shared, use_by },
      unconfirmed: isGenerated,
    });
    if (created === null)
      throw new AppError('duplicate_code', 'This coupon code already exists for the product');
    if (isGenerated) await noteGenerated(tx, created.id);
    const detail = { made_up: isGenerated };
    await createAuditLine(tx, { actor, action: 'coupon.create', product_id, coupon_id: created.id, detail });
    return created;
  });
}

/** Returns the code with this id. @throws AppError not_found. */
export async function requireCoupon(db: Db, id: string): Promise<StoredCoupon> {
  const coupon = await findStoredCoupon(db, id);
  if (coupon === null) throw new AppError('not_found', 'Coupon not found');
  return coupon;
}

// Digits and letters without 0, O, 1, I and L, because people confuse these characters when they copy a code from a
// screen.
const ALPHABET = '23456789ABCDEFGHJKMNPQRSTUVWXYZ';
const LENGTH = 12;

/** Returns `count` random bytes from a cryptographic source. */
export type RandomBytes = (count: number) => Uint8Array;

/** Returns a code of twelve characters in three groups, such as `7KQM-2XWP-9FTD`. It has 59 bits of randomness. */
export function makeCouponCode(randomBytes: RandomBytes): string {
  let code = '';
  while (code.length < LENGTH) {
    const [byte = 0] = randomBytes(1);
    // Only bytes below 248 (8 times 31 characters) are used. With the bytes from 248 to 255, the first characters of
    // the alphabet would be more frequent than the others.
    if (byte < ALPHABET.length * Math.floor(256 / ALPHABET.length)) code += ALPHABET[byte % ALPHABET.length];
  }
  return code.replace(/.{4}(?=.)/g, '$&-');
}

/** `codesMasked` is the setting CODES_MASKED: true if codes are hidden from every role. */
export type Masking = { codesMasked: boolean };

/** Returns true if the caller may see only the last characters of codes. */
export function isMasked({ team_role }: Pick<Member, 'team_role'>, { codesMasked }: Masking): boolean {
  return codesMasked || !hasRole(team_role, 'manager');
}

/** Returns the row without its code. `hint` of the result is the last characters of the code. */
export function hideCode<T extends { coupon_code: string | null }>(row: T) {
  return { ...row, coupon_code: null, hint: findSuffix(row.coupon_code ?? '') };
}

/**
 * Hides the issued code if somebody other than `actor` assigned the code to the user. A call that issues a code returns
 * the code that the user already holds, if there is one. Without this check, a caller could read the codes of all users
 * with such calls, without the limit and the audit line of `revealCoupon`.
 */
export async function hideFromOthers(db: Db, issued: IssuedCoupon, actor: string): Promise<IssuedCoupon> {
  const { coupon } = issued;
  return (await isIssuedBy(db, coupon, coupon, actor)) ? issued : { ...issued, coupon: hideCode(coupon) };
}

/**
 * Hides the revoked code. Also hides the replacement if somebody other than `actor` assigned the replacement to the
 * user.
 */
export async function hideRevoked(db: Db, revoked: RevokedCoupon, actor: string): Promise<RevokedCoupon> {
  const { coupon, replacement } = revoked;
  const showsReplacement = replacement === null || (await isIssuedBy(db, coupon, replacement, actor));
  return {
    ...revoked,
    coupon: hideCode(coupon),
    replacement: showsReplacement ? replacement : hideCode(replacement),
  };
}

async function isIssuedBy(
  db: Db,
  { product_id, email }: { product_id: string; email: string | null },
  { coupon_code }: { coupon_code: string | null },
  by: string,
): Promise<boolean> {
  return email !== null && coupon_code !== null && isAssignedBy(db, { by, product_id, email, coupon_code });
}

/**
 * Returns true if the codes of an upload are hidden from the caller. The codes are hidden if the caller may not see
 * codes and did not upload the file. Imports of older versions store only the address of the uploader, which may belong
 * to somebody else by now. So their codes are hidden from every caller who may not see codes.
 */
export function hidesUpload(
  { kind, uploader }: Pick<ImportState, 'kind'> & WithUploader,
  caller: Member,
  masking: Masking,
): boolean {
  return kind === 'coupons' && isMasked(caller, masking) && uploader !== caller.user_id;
}

const cellDay = dayField('use_by');

/**
 * Returns a cell of an uploaded file of codes with only its last characters. Masks the cells of every column, because
 * the uploader may have mixed up two columns. Does not mask days.
 */
export function hideCell(cell: string): string {
  return cell === '' || cellDay.safeParse(cell).success ? cell : maskCode(findSuffix(cell));
}

/**
 * Returns the state of an upload without the texts of its rows. The reason for which a file was refused may end with
 * the texts of the file's first row.
 */
export function hideRows<T extends ImportState>(state: T): T {
  const { errors, sample, reason } = state;
  const hideSample = (row: Record<string, string>) =>
    Object.fromEntries(Object.entries(row).map(([field, cell]) => [field, hideCell(cell)]));
  return {
    ...state,
    errors: errors.map((error) => ({ ...error, content: '' })),
    ...(sample && { sample: sample.map(hideSample) }),
    reason: reason?.replace(/\. Its columns are .*$/s, '') ?? null,
  };
}

/**
 * Rejects a text that contains a code of the products, in any spelling (see `hasCode`). A short code is found only as a
 * whole word, or between separators such as colons and commas. If `product_ids` is null, the codes of all products
 * count.
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
