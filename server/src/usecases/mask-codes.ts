// Hides coupon codes from staff who get only hints (R-IMP-41, R-IMP-44).
import { findHint, hasRole, type IssuedCoupon, type RevokedCoupon } from '@portal/contract';
import type { Db } from '../db/database.ts';
import { isAssignedBy } from '../stores/assigned-coupons.ts';
import type { Member } from '../stores/callers.ts';

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
