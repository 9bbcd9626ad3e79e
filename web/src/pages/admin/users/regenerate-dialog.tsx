// Dialog that asks for confirmation before a user gets another code of a product (R-UAC-10, R-UAC-11, A-61).
import { ConfirmDialog } from '../../../ui/confirm-dialog.tsx';
import { say, sayAround } from '../../../words/say.ts';
import { sayCode } from '../hidden-codes/say-code.ts';
import styles from './access.module.css';
import type { AssignedCoupon } from './access.ts';

type RegenerateDialogProps = {
  who: string;
  product: string;
  coupon: AssignedCoupon;
  onCancel: () => void;
  onConfirm: () => void;
};

export function RegenerateDialog({ who, product, coupon, onCancel, onConfirm }: RegenerateDialogProps) {
  const isHeld = coupon.state === 'held';
  const names = {
    who: <bdi>{who}</bdi>,
    product: <bdi>{product}</bdi>,
    code: <span className={styles.held}>{sayCode(coupon)}</span>,
  };
  return (
    <ConfirmDialog
      title={say('Regenerate this coupon?')}
      words={
        isHeld
          ? sayAround(
              '{who} already holds {code} for {product}. Generating another code means this user will hold multiple coupons for the product.',
              names,
            )
          : sayAround('{code} was withdrawn from {who}. They get another code of {product} now.', names)
      }
      confirm={say('Regenerate Coupon')}
      danger={isHeld}
      onCancel={onCancel}
      onConfirm={onConfirm}
    />
  );
}
