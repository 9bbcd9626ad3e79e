// One product of the user that the access card shows, with the user's code and a button that generates or replaces the
// code.
import { RotateCw, TicketPlus, Timer } from 'lucide-react';
import { useId, useState } from 'react';
import { Button } from '../../../ui/button.tsx';
import { classes } from '../../../ui/classes.ts';
import { focusMain } from '../../../ui/focus-main.ts';
import { Icon } from '../../../ui/icon.tsx';
import { showToast } from '../../../ui/toast-store.ts';
import { sayDate, sayDay } from '../../../words/format.ts';
import { say } from '../../../words/say.ts';
import styles from './access.module.css';
import {
  type AccessAct,
  type AccessProduct,
  type AccessUser,
  type AssignedCoupon,
  isAhead,
} from './access.ts';
import { AccessMenu } from './access-menu.tsx';
import { CopyCode } from './copy-code.tsx';
import { issueCoupon } from './issue-coupon.ts';
import { RegenerateDialog } from './regenerate-dialog.tsx';
import type { Locked } from './regeneration-lock.ts';
import { sayValid } from './say-valid.ts';
import { useMinutesLeft } from './use-minutes-left.ts';
import { findValidDays } from './valid-days.ts';

type AccessItemProps = {
  user: AccessUser;
  product: AccessProduct;
  onCoupon: (coupon: AssignedCoupon) => void;
  onAct: (act: AccessAct) => void;
};

const DATE: Intl.DateTimeFormatOptions = { day: 'numeric', month: 'short', year: 'numeric' };

export function AccessItem({ user, product, onCoupon, onAct }: AccessItemProps) {
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
  const valid = findValidDays(product.grants);
  return (
    <li ref={keepFocus} className={styles.item}>
      <div>
        <bdi id={nameId} className={styles.name}>
          {product.name}
        </bdi>
        <p dir="auto" className={styles.about} title={product.description}>
          {product.description}
        </p>
      </div>
      <div>
        {product.coupon ? (
          <Code coupon={product.coupon} />
        ) : (
          <p className={styles.fact}>{say('No coupon yet')}</p>
        )}
      </div>
      <div className={styles.valid}>{valid && sayValid(valid)}</div>
      <div className={styles.act}>
        {product.coupon ? (
          <RegenerateButton of={issued} nameId={nameId} busy={busy} onPress={() => setAsking(true)} />
        ) : (
          <Button
            size="sm"
            busy={busy}
            disabled={isOnlyLater(product)}
            aria-describedby={nameId}
            onClick={() => void issue('generate')}
          >
            {!busy && <Icon of={TicketPlus} size={16} />}
            {say('Generate Coupon for User')}
          </Button>
        )}
        <AccessMenu product={product} onAct={onAct} />
      </div>
      {asking && product.coupon && (
        <RegenerateDialog
          who={user.name || user.email}
          product={product.name}
          coupon={product.coupon}
          onCancel={() => setAsking(false)}
          onConfirm={() => void issue('regenerate')}
        />
      )}
    </li>
  );
}

/** Moves the focus to the main content if the item is removed while one of its controls has the focus. */
function keepFocus(item: HTMLElement | null) {
  return () => {
    if (item?.contains(document.activeElement)) queueMicrotask(focusMain);
  };
}

/**
 * True if the user's access to the product has not begun yet. The server refuses to issue a code before the access
 * begins.
 */
function isOnlyLater({ grants }: AccessProduct): boolean {
  return grants.some(isAhead) && !grants.some(({ state }) => state === 'live');
}

/** Shows the user's code. A revoked code is struck through and cannot be copied. */
function Code({
  coupon: { coupon_code, state, assigned_at, use_by, revoked_at },
}: {
  coupon: AssignedCoupon;
}) {
  const isHeld = state === 'held';
  const Text = isHeld ? 'span' : 'del';
  const sayTime = (at: string) => sayDate(new Date(at), DATE);
  return (
    <>
      <div className={styles.codeLine}>
        <Text className={classes(styles.code, !isHeld && styles.struck)}>{coupon_code}</Text>
        {isHeld && <CopyCode code={coupon_code} />}
      </div>
      <p className={styles.fact}>{say('Assigned {day}', { day: sayTime(assigned_at) })}</p>
      {isHeld && use_by !== null && (
        <p className={styles.fact}>{say('Use by {day}', { day: sayDay(use_by) })}</p>
      )}
      {revoked_at !== null && (
        <p className={styles.fact}>{say('Withdrawn {day}', { day: sayTime(revoked_at) })}</p>
      )}
    </>
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
