// One product of the user that the access card shows: whether the user would get a code and why, the user's code, and a
// button that generates or replaces the code.
import { useId, useState } from 'react';
import { classes } from '../../../ui/classes.ts';
import { focusMain } from '../../../ui/focus-main.ts';
import { sayDay } from '../../../words/days.ts';
import { say } from '../../../words/say.ts';
import { CopyCode } from '../hidden-codes/copy-code.tsx';
import { HiddenCode } from '../hidden-codes/hidden-code.tsx';
import type { Reveals } from '../hidden-codes/use-reveals.ts';
import styles from './access.module.css';
import type { AccessAct, AccessProduct, AccessUser, AssignedCoupon } from './access.ts';
import { AccessMenu } from './access-menu.tsx';
import { AccessVerdict } from './access-verdict.tsx';
import { AccessWhy } from './access-why.tsx';
import { IssueButton } from './issue-button.tsx';
import { issueCoupon } from './issue-coupon.ts';
import { RegenerateDialog } from './regenerate-dialog.tsx';
import { sayDayAt, sayValid } from './say-valid.ts';
import { findRemoval, findValidDays } from './valid-days.ts';

type AccessItemProps = {
  user: AccessUser;
  product: AccessProduct;
  reveals: Reveals;
  onCoupon: (coupon: AssignedCoupon) => void;
  onAct: (act: AccessAct) => void;
  /** True while the reasons for the verdict are shown. */
  isOpen: boolean;
  onWhy: () => void;
};

export function AccessItem({ user, product, reveals, onCoupon, onAct, isOpen, onWhy }: AccessItemProps) {
  const [busy, setBusy] = useState(false);
  const [asking, setAsking] = useState(false);
  const nameId = useId();
  const whyId = useId();
  const reasonsId = useId();
  const issued = { email: user.email, productId: product.product_id };
  const issue = async (how: 'generate' | 'regenerate') => {
    setAsking(false);
    setBusy(true);
    const coupon = await issueCoupon(how, issued);
    if (coupon) onCoupon(coupon);
    setBusy(false);
  };
  return (
    <li ref={keepFocus} data-product={product.product_id} className={styles.item}>
      <div>
        <bdi id={nameId} className={styles.name}>
          {product.name}
        </bdi>
        <AccessVerdict
          why={product.why}
          id={whyId}
          nameId={nameId}
          reasonsId={isOpen ? reasonsId : null}
          onWhy={onWhy}
        />
      </div>
      <div>
        {product.coupon ? (
          <Code coupon={product.coupon} reveals={reveals} />
        ) : (
          <p className={styles.fact}>{say('No coupon yet')}</p>
        )}
      </div>
      <div className={styles.valid}>{sayAccess(product)}</div>
      <div className={styles.act}>
        <IssueButton
          product={product}
          of={issued}
          nameId={nameId}
          busy={busy}
          onPress={() => (product.coupon ? setAsking(true) : void issue('generate'))}
        />
        <AccessMenu product={product} onAct={onAct} />
      </div>
      {isOpen && (
        <AccessWhy id={reasonsId} labelledBy={`${whyId} ${nameId}`} email={user.email} product={product} />
      )}
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

/**
 * Moves the focus to the product's menu if the item is removed while one of its controls has the focus. The item is
 * removed when it moves to the other list.
 */
function keepFocus(item: HTMLElement | null) {
  return () => {
    if (item?.contains(document.activeElement)) queueMicrotask(() => focusItem(item.dataset.product));
  };
}

/** Moves the focus to the product's menu, or to the main content if the product is no longer listed. */
export function focusItem(productId: string | undefined): void {
  const menu = document.querySelector<HTMLElement>(`[data-product="${productId}"] [aria-haspopup]`);
  if (menu) menu.focus();
  else focusMain();
}

/**
 * Returns the days of the user's access, or the day on which the access was removed. Returns null if there is neither:
 * the user holds a code without a grant, or the grant's cohort is archived.
 */
function sayAccess({ grants }: AccessProduct): string | null {
  const valid = findValidDays(grants);
  if (valid) return sayValid(valid);
  const removed = findRemoval(grants);
  return removed && say('Removed {day}', { day: sayDayAt(removed) });
}

/** Shows the user's code. A revoked code is struck through and cannot be copied. */
function Code({ coupon, reveals }: { coupon: AssignedCoupon; reveals: Reveals }) {
  const { coupon_code, state, assigned_at, use_by, revoked_at } = coupon;
  const isHeld = state === 'held';
  const Text = isHeld ? 'span' : 'del';
  return (
    <>
      <div className={styles.codeLine}>
        {coupon_code === null ? (
          <HiddenCode coupon={coupon} reveals={reveals} struck={!isHeld} />
        ) : (
          <Text className={classes(styles.code, !isHeld && styles.struck)}>{coupon_code}</Text>
        )}
        {isHeld && coupon_code !== null && <CopyCode code={coupon_code} />}
      </div>
      <p className={styles.fact}>{say('Assigned {day}', { day: sayDayAt(assigned_at) })}</p>
      {isHeld && use_by !== null && (
        <p className={styles.fact}>{say('Use by {day}', { day: sayDay(use_by) })}</p>
      )}
      {revoked_at !== null && (
        <p className={styles.fact}>{say('Withdrawn {day}', { day: sayDayAt(revoked_at) })}</p>
      )}
    </>
  );
}
