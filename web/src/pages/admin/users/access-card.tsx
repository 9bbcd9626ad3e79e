// Looks a user up, and shows their products with the code of each (R-UAC-01 to R-UAC-15).
import type { getUserAccess as getUserAccessCall, ReplyOf } from '@portal/contract';
import { type SubmitEvent, useRef, useState } from 'react';
import { getUserAccess } from '../../../admin-calls.ts';
import { call } from '../../../api.ts';
import { Button } from '../../../ui/button.tsx';
import { Card, CardBody } from '../../../ui/card.tsx';
import { TextField } from '../../../ui/form-field.tsx';
import { showToast } from '../../../ui/toast-store.ts';
import { sayDate } from '../../../words/figures.ts';
import { say } from '../../../words/say.ts';
import { tellRefusal } from '../refusal-toast.ts';
import styles from './access.module.css';
import { AccessItem } from './access-item.tsx';
import { sayProducts } from './say-products.ts';

type Access = ReplyOf<typeof getUserAccessCall>;
export type HeldCoupon = NonNullable<Access['products'][number]['coupon']>;

export function AccessCard() {
  const { access, busy, error, field, look, setCoupon } = useAccess();
  return (
    <Card
      title={say('User Access Management')}
      sub={say('See which tools a learner has, and give or replace a code.')}
    >
      <CardBody>
        <form className={styles.form} noValidate onSubmit={(event) => void look(event)}>
          <TextField
            ref={field}
            id="access-email"
            className={styles.email}
            label={say('User email')}
            type="email"
            autoComplete="off"
            placeholder="learner@example.org"
            readOnly={busy}
            error={error}
          />
          <Button look="primary" type="submit" busy={busy}>
            {say('View Products')}
          </Button>
        </form>
      </CardBody>
      <div aria-live="polite">{access && <Found access={access} onCoupon={setCoupon} />}</div>
    </Card>
  );
}

function useAccess() {
  const [access, setAccess] = useState<Access | null>(null);
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<string | null>(null);
  const field = useRef<HTMLInputElement>(null);

  const look = async (event: SubmitEvent) => {
    event.preventDefault();
    if (busy) return;
    const email = field.current?.value.trim().toLowerCase() ?? '';
    // R-VAL-24
    const missing = email === '' ? say('Please enter a user email address') : null;
    setError(missing);
    if (missing) {
      field.current?.focus();
      showToast({ title: say('Missing email'), description: missing, variant: 'destructive' });
      return;
    }
    setBusy(true);
    try {
      setAccess(await call(getUserAccess, { params: { email } }));
    } catch (cause) {
      setAccess(null);
      tellRefusal(cause, say('Failed to fetch user access'));
    } finally {
      setBusy(false);
    }
  };
  // Of the same user only: another one may have been looked up meanwhile.
  const setCoupon = (email: string, productId: string, coupon: HeldCoupon) =>
    setAccess((shown) =>
      shown?.user.email === email
        ? {
            ...shown,
            products: shown.products.map((product) =>
              product.product_id === productId ? { ...product, hasCoupon: true, coupon } : product,
            ),
          }
        : shown,
    );
  return { access, busy, error, field, look, setCoupon };
}

const TIME: Intl.DateTimeFormatOptions = { dateStyle: 'medium', timeStyle: 'short' };

function sayTime(at: string | null): string {
  return at === null ? say('Never') : sayDate(new Date(at), TIME);
}

type FoundProps = {
  access: Access;
  onCoupon: (email: string, productId: string, coupon: HeldCoupon) => void;
};

function Found({ access: { user, products }, onCoupon }: FoundProps) {
  return (
    <div className={styles.result}>
      <div className={styles.who}>
        {user.name && <bdi className={styles.name}>{user.name}</bdi>}
        <span className={styles.faint}>{user.email}</span>
        {user.last_sign_in_at !== undefined && (
          <span className={styles.faint}>
            {say('Last sign-in: {time}', { time: sayTime(user.last_sign_in_at) })}
          </span>
        )}
        <span className={`${styles.faint} ${styles.count}`}>{sayProducts(products.length)}</span>
      </div>
      {products.length === 0 && <p className={styles.none}>{say('This user has no products yet.')}</p>}
      <ul>
        {products.map((product) => (
          <AccessItem
            key={`${user.email} ${product.product_id}`}
            user={user}
            product={product}
            onCoupon={(coupon) => onCoupon(user.email, product.product_id, coupon)}
          />
        ))}
      </ul>
    </div>
  );
}
