// Writes a coupon code of a reply, which may be hidden from the user.
import { maskCode } from '@portal/contract';
import { say } from '../../../words/say.ts';

/** A code of a reply. If the code is hidden, `coupon_code` is null and `hint` has its last characters, if there are any. */
export type MaybeHidden = { coupon_code: string | null; hint?: string | null | undefined };

/** Returns the code; if it is hidden, the dots and the hint that stand for it. */
export function sayCode({ coupon_code, hint = null }: MaybeHidden): string {
  return coupon_code ?? maskCode(hint);
}

/** Returns the code as screen readers read it. They would read the dots one by one. */
export function speakCode({ coupon_code, hint }: MaybeHidden): string {
  return coupon_code ?? (hint ? say('Code ending in {hint}', { hint }) : say('Hidden code'));
}
