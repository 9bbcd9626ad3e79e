// Dialog that asks for confirmation before a user gets another code of a product (R-UAC-10, R-UAC-11, A-61).
import { Button } from '../../../ui/button.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
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
    <Dialog
      role="alertdialog"
      className={styles.dialog}
      labelledBy="regenerate-title"
      describedBy="regenerate-words"
      onClose={onCancel}
    >
      <div className={styles.sheet}>
        <h2 id="regenerate-title">{say('Regenerate this coupon?')}</h2>
        <p id="regenerate-words">
          {sayAround(
            '{who} already holds {code} for {product}. Generating another code means this user will hold multiple coupons for the product.',
            {
              who: <bdi>{who}</bdi>,
              product: <bdi>{product}</bdi>,
              code: <span className={styles.code}>{code}</span>,
            },
          )}
        </p>
        {/* 'Cancel' must stay the first button, because the dialog gives the focus to its first button. */}
        <div className={styles.choices}>
          <Button onClick={onCancel}>{say('Cancel')}</Button>
          <Button className={styles.danger} onClick={onConfirm}>
            {say('Regenerate Coupon')}
          </Button>
        </div>
      </div>
    </Dialog>
  );
}
