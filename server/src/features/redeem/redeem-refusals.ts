// The refusals that do not depend on why a learner has no access: of a redemption, and of the view of a learner.
import type { ProductStatus } from '@portal/contract';
import { AppError } from '../../app-error.ts';
import { formatDay } from '../../day.ts';

/** Returns the refusal if learners cannot redeem codes of the product today, otherwise null (R-LIFE-22). */
export function explainStatus({
  status,
  opens_on,
}: {
  status: ProductStatus;
  opens_on: string | null;
}): AppError | null {
  if (status === 'scheduled' && opens_on !== null) {
    return new AppError('product_not_open', `Redeeming opens on ${formatDay(opens_on)}.`, {
      title: 'Not open yet',
      day: opens_on,
    });
  }
  if (status === 'paused') {
    return new AppError('product_paused', 'This benefit is paused for the moment. Please try again later.', {
      title: 'Paused',
    });
  }
  if (status === 'ended' || status === 'archived') {
    return new AppError('product_ended', 'Codes of this benefit are no longer handed out.', {
      title: 'This offer has ended',
    });
  }
  return null;
}

/** Returns the refusal for a learner whose access begins on the day `starts_on`. */
export function accessNotStarted(starts_on: string): AppError {
  return new AppError(
    'access_not_started',
    `Your access to this benefit begins on ${formatDay(starts_on)}.`,
    { title: 'Not yet yours', day: starts_on },
  );
}

export function codeRevoked(supportEmail: string): AppError {
  return new AppError(
    'code_revoked',
    `Your code of this benefit was withdrawn. Please write to us at ${supportEmail}`,
    { title: 'Code withdrawn' },
  );
}

export function noCouponLeft(supportEmail: string): AppError {
  return new AppError(
    'no_coupon_left',
    `All codes of this benefit have been handed out. Please try again later or write to us at ${supportEmail}`,
    { title: 'No codes left' },
  );
}
