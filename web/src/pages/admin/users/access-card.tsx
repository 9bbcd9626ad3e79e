// Looks a user up, and shows their products with the code of each (R-UAC-01 to R-UAC-15).
import type { getUserAccess as getUserAccessCall, ReplyOf } from '@portal/contract';
import { useQuery } from '@tanstack/react-query';
import { type SubmitEvent, useRef, useState } from 'react';
import { getUserAccess } from '../../../admin-calls.ts';
import { queryClient, queryOf } from '../../../queries.ts';
import { Button } from '../../../ui/button.tsx';
import { Card } from '../../../ui/card.tsx';
import { CardBody } from '../../../ui/card-body.tsx';
import { TextField } from '../../../ui/form-field.tsx';
import { showToast } from '../../../ui/toast-store.ts';
import { sayDate } from '../../../words/format.ts';
import { say } from '../../../words/say.ts';
import { tellRefusal } from '../refusal-toast.ts';
import styles from './access.module.css';
import { AccessItem } from './access-item.tsx';
import { sayProducts } from './say-products.ts';

type Access = ReplyOf<typeof getUserAccessCall>;
export type AssignedCoupon = NonNullable<Access['products'][number]['coupon']>;

export function AccessCard() {
  const { access, busy, error, field, look } = useAccess();
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
      <div aria-live="polite">{access && <Found access={access} />}</div>
    </Card>
  );
}

const accessOf = (email: string) => queryOf(getUserAccess, { email });

function useAccess() {
  const [shown, setShown] = useState('');
  const { data: access } = useQuery({ ...accessOf(shown), enabled: shown !== '' });
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
      await queryClient.fetchQuery({ ...accessOf(email), staleTime: 0 });
      setShown(email);
    } catch (cause) {
      setShown('');
      tellRefusal(cause, say('Failed to fetch user access'));
    } finally {
      setBusy(false);
    }
  };
  return { access, busy, error, field, look };
}

/** Shows the coupon that was just issued, without another look-up (R-UAC-08). */
function setCoupon(email: string, productId: string, coupon: AssignedCoupon): void {
  queryClient.setQueryData(
    accessOf(email).queryKey,
    (access: Access | undefined) =>
      access && {
        ...access,
        products: access.products.map((product) =>
          product.product_id === productId ? { ...product, hasCoupon: true, coupon } : product,
        ),
      },
  );
}

const TIME: Intl.DateTimeFormatOptions = { dateStyle: 'medium', timeStyle: 'short' };

function sayTime(at: string | null): string {
  return at === null ? say('Never') : sayDate(new Date(at), TIME);
}

function Found({ access: { user, products } }: { access: Access }) {
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
            onCoupon={(coupon) => setCoupon(user.email, product.product_id, coupon)}
          />
        ))}
      </ul>
    </div>
  );
}
