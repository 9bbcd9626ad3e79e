// Hides coupon codes from staff who get only hints (R-IMP-41, R-IMP-44, R-IMP-46).
import {
  dayField,
  findHint,
  hasRole,
  type ImportState,
  type IssuedCoupon,
  maskCode,
  type RevokedCoupon,
} from '@portal/contract';
import type { WithUploader } from '../../bulk/imports.sql.ts';
import type { Db } from '../../db/database.ts';
import { isAssignedBy } from '../redeem/assigned-coupons.sql.ts';
import type { Member } from '../team/callers.sql.ts';

/** `codesMasked` is the setting CODES_MASKED: true if codes are hidden from every role. */
export type Masking = { codesMasked: boolean };

/** Returns true if lists hide the codes from the caller. */
export function isMasked({ team_role }: Pick<Member, 'team_role'>, { codesMasked }: Masking): boolean {
  return codesMasked || !hasRole(team_role, 'manager');
}

/** Returns the row with the hint in place of the code. */
export function hideCode<T extends { coupon_code: string | null }>(row: T) {
  return { ...row, coupon_code: null, hint: findHint(row.coupon_code ?? '') };
}

/**
 * Hides the code of a reply that issues a code, if somebody other than `actor` assigned the code to the user. Otherwise
 * a caller could read each code that a user holds by issuing it again, past the limit and the audit of
 * `revealCoupon`.
 */
export async function hideFromOthers(db: Db, issued: IssuedCoupon, actor: string): Promise<IssuedCoupon> {
  const { coupon } = issued;
  return (await isIssuedBy(db, coupon, coupon, actor)) ? issued : { ...issued, coupon: hideCode(coupon) };
}

/** Hides the revoked code; also its replacement, if somebody other than `actor` assigned it to the user. */
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

const cellDay = dayField('use_by');

/**
 * Returns true if the codes of an upload are hidden from the caller: they are hidden from the caller everywhere, and
 * somebody else uploaded them. An import of an older version does not name its uploader, only an address, which somebody
 * else may have by now: its codes are hidden from everybody.
 */
export function hidesUpload(
  { kind, uploader }: Pick<ImportState, 'kind'> & WithUploader,
  caller: Member,
  masking: Masking,
): boolean {
  return kind === 'coupons' && isMasked(caller, masking) && uploader !== caller.user_id;
}

/**
 * Returns a cell of an uploaded file of codes as a hint. Any cell may have a code, for example if two columns were mixed
 * up. Only days stay as they are.
 */
export function hideCell(cell: string): string {
  return cell === '' || cellDay.safeParse(cell).success ? cell : maskCode(findHint(cell));
}

/** Returns the state of an upload without the texts of its rows. A refused file's reason may name its first row. */
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
