// Issues a code to a user, or another code in place of the current one. Shows the result as a toast.
import { generateCoupon, regenerateCoupon } from '@portal/contract';
import { call } from '../../../api.ts';
import { showToast } from '../../../ui/toast-store.ts';
import { say, sayServed } from '../../../words/say.ts';
import { refreshLists } from '../changes.ts';
import { sayCode } from '../hidden-codes/say-code.ts';
import { tellRefusal, tellSuccess } from '../refusal-toast.ts';
import type { AssignedCoupon } from './access.ts';
import { type Locked, locks } from './regeneration-lock.ts';

/**
 * Delay between the toast with the new code and the toast with a warning. Only one toast is shown at a time, so an
 * immediate warning would replace the code.
 */
const WARNING_AFTER_MS = 2500;

// Texts of the toasts (R-ERR-16, R-ERR-17, R-UAC-07, R-UAC-12).
const WORDS = {
  generate: {
    done: (code: string) => say('Coupon generated: {code}', { code }),
    failed: () => say('Failed to generate coupon'),
  },
  regenerate: {
    done: (code: string) => say('New coupon generated: {code} (assigned to admin)', { code }),
    failed: () => say('Failed to regenerate coupon'),
  },
};

/** Issues a code and returns it. After an error, shows a toast and returns null. Never rejects. */
export async function issueCoupon(
  how: 'generate' | 'regenerate',
  body: Locked,
): Promise<AssignedCoupon | null> {
  const issue = how === 'generate' ? generateCoupon : regenerateCoupon;
  try {
    const { coupon, warning } = await call(issue, { body });
    if (how === 'regenerate') locks.lock(body);
    tellSuccess(WORDS[how].done(sayCode(coupon)));
    if (warning) tellWarning(warning);
    refreshLists('coupons');
    // Somebody else has assigned the code, so it is hidden. To show it, the page needs its id.
    if (coupon.coupon_code === null) refreshLists('users');
    const { coupon_code, hint, assigned_at, use_by } = coupon;
    // The response has no id. An act on the code looks the user up again before it needs one.
    return {
      id: '',
      coupon_code,
      hint,
      assigned_at,
      state: 'held',
      use_by,
      revoked_at: null,
      has_earlier: how === 'regenerate',
    };
  } catch (error) {
    tellRefusal(error, WORDS[how].failed());
    return null;
  }
}

/** Shows a warning of the server. A delay keeps the success toast, which is shown first, readable. */
export function tellWarning(warning: string): void {
  const toast = { title: say('Warning'), description: sayServed(warning), variant: 'destructive' as const };
  setTimeout(() => showToast(toast), WARNING_AFTER_MS);
}
