// One product of the found user, with the user's code and a button that generates or replaces the code.
import type { getUserAccess, ReplyOf } from '@portal/contract';
import { RotateCw, TicketPlus, Timer } from 'lucide-react';
import { useId, useState } from 'react';
import { Button } from '../../../ui/button.tsx';
import { Icon } from '../../../ui/icon.tsx';
import { showToast } from '../../../ui/toast-store.ts';
import { sayDate } from '../../../words/format.ts';
import { say } from '../../../words/say.ts';
import styles from './access.module.css';
import type { AssignedCoupon } from './access-card.tsx';
import { issueCoupon } from './issue-coupon.ts';
import { RegenerateDialog } from './regenerate-dialog.tsx';
import type { Locked } from './regeneration-lock.ts';
import { useMinutesLeft } from './use-minutes-left.ts';

type Access = ReplyOf<typeof getUserAccess>;
type AccessItemProps = {
  user: Access['user'];
  product: Access['products'][number];
  onCoupon: (coupon: AssignedCoupon) => void;
};

const DATE: Intl.DateTimeFormatOptions = { day: 'numeric', month: 'short', year: 'numeric' };

export function AccessItem({ user, product, onCoupon }: AccessItemProps) {
  const [busy, setBusy] = useState(false);
  const [asking, setAsking] = useState(false);
  const nameId = useId();
  const issued = { email: user.email, productId: product.product_id };
  const issue = async (how: 'generate' | 'regenerate') => {
    setAsking(false);
    setBusy(true);
    const coupon = await issueCoupon(how, issued);
    if (coupon) onCoupon(coupon);
    setBusy(false);
  };
  return (
    <li className={styles.item}>
      <div>
        <bdi id={nameId} className={styles.name}>
          {product.name}
        </bdi>
        <p dir="auto" className={styles.about} title={product.description}>
          {product.description}
        </p>
      </div>
      <div>
        {product.coupon && <span className={styles.code}>{product.coupon.coupon_code}</span>}
        <p className={styles.about}>
          {product.coupon
            ? say('Assigned {day}', { day: sayDate(new Date(product.coupon.assigned_at), DATE) })
            : say('No coupon yet')}
        </p>
      </div>
      <div className={styles.act}>
        {product.coupon ? (
          <RegenerateButton of={issued} nameId={nameId} busy={busy} onPress={() => setAsking(true)} />
        ) : (
          <Button size="sm" busy={busy} aria-describedby={nameId} onClick={() => void issue('generate')}>
            {!busy && <Icon of={TicketPlus} size={16} />}
            {say('Generate Coupon for User')}
          </Button>
        )}
      </div>
      {asking && product.coupon && (
        <RegenerateDialog
          who={user.name || user.email}
          product={product.name}
          code={product.coupon.coupon_code}
          onCancel={() => setAsking(false)}
          onConfirm={() => void issue('regenerate')}
        />
      )}
    </li>
  );
}

type RegenerateButtonProps = { of: Locked; nameId: string; busy: boolean; onPress: () => void };

// While the regeneration is locked, the button is not `disabled`: a click must still show how many minutes are left
// (R-LOCK-03).
function RegenerateButton({ of, nameId, busy, onPress }: RegenerateButtonProps) {
  const minutes = useMinutesLeft(of);
  const press = () => {
    if (minutes === 0) return onPress();
    showToast({
      title: say('Please wait'),
      description: say('You can regenerate this coupon in {minutes} minute(s)', { minutes }),
      variant: 'destructive',
    });
  };
  return (
    <Button
      size="sm"
      busy={busy}
      aria-describedby={nameId}
      aria-disabled={minutes > 0 || undefined}
      onClick={press}
    >
      {!busy && <Icon of={minutes > 0 ? Timer : RotateCw} size={16} />}
      {minutes > 0 ? say('Wait {minutes} min', { minutes }) : say('Regenerate Coupon')}
    </Button>
  );
}
