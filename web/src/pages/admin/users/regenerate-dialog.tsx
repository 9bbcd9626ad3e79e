// Dialog that asks for confirmation before a user gets another code of a product (R-UAC-10, R-UAC-11, A-61).
import { ConfirmDialog } from '../../../ui/confirm-dialog.tsx';
import { say, sayAround } from '../../../words/say.ts';
import styles from './access.module.css';

type RegenerateDialogProps = {
  who: string;
  product: string;
  code: string;
  onCancel: () => void;
  onConfirm: () => void;
};

export function RegenerateDialog({ who, product, code, onCancel, onConfirm }: RegenerateDialogProps) {
  return (
    <ConfirmDialog
      title={say('Regenerate this coupon?')}
      words={sayAround(
        '{who} already holds {code} for {product}. Generating another code means this user will hold multiple coupons for the product.',
        {
          who: <bdi>{who}</bdi>,
          product: <bdi>{product}</bdi>,
          code: <span className={styles.held}>{code}</span>,
        },
      )}
      confirm={say('Regenerate Coupon')}
      danger
      onCancel={onCancel}
      onConfirm={onConfirm}
    />
  );
}
