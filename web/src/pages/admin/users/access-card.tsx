// Finds a user by email address and shows the user's products and codes (R-UAC-01 to R-UAC-15).
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { flushSync } from 'react-dom';
import { queryClient } from '../../../queries.ts';
import { Button } from '../../../ui/button.tsx';
import { Card } from '../../../ui/card.tsx';
import { CardBody } from '../../../ui/card-body.tsx';
import { TextField } from '../../../ui/text-field.tsx';
import { showToast } from '../../../ui/toast-store.ts';
import { useForm } from '../../../ui/use-form.ts';
import { sayDate } from '../../../words/format.ts';
import { say } from '../../../words/say.ts';
import { type Reveals, useReveals } from '../hidden-codes/use-reveals.ts';
import { tellError, tellRefusal } from '../refusal-toast.ts';
import styles from './access.module.css';
import {
  type Access,
  type AccessAct,
  type AccessProduct,
  type AssignedCoupon,
  accessOf,
  hasAccess,
  isPossible,
} from './access.ts';
import { AccessDialog } from './access-dialog.tsx';
import { AccessItem, focusItem } from './access-item.tsx';
import { sayProducts } from './say-products.ts';
import { toAddress } from './use-known-user.ts';

export function AccessCard() {
  const { access, form } = useAccess();
  const reveals = useReveals();
  return (
    <Card
      title={say('User Access Management')}
      sub={say('See which tools a learner has, and give or replace a code.')}
    >
      <CardBody>
        <form {...form.props} className={styles.form}>
          <TextField
            {...form.field('email')}
            className={styles.email}
            label={say('User email')}
            type="email"
            autoComplete="off"
            placeholder="learner@example.org"
          />
          <Button look="primary" type="submit" busy={form.busy}>
            {say('View Products')}
          </Button>
        </form>
      </CardBody>
      <div aria-live="polite">{access && <Who access={access} />}</div>
      {access && <Products key={access.user.email} access={access} reveals={reveals} />}
    </Card>
  );
}

function useAccess() {
  const [shown, setShown] = useState('');
  const { data: access } = useQuery({ ...accessOf(shown), enabled: shown !== '' });
  const form = useForm({ email: '' }, async ({ email: typed }) => {
    const email = toAddress(typed);
    if (email === '') {
      // An empty address is an error, shown at the field and as a toast (R-VAL-24).
      const description = say('Please enter a user email address');
      showToast({ title: say('Missing email'), description, variant: 'destructive' });
      return { email: description };
    }
    try {
      await queryClient.fetchQuery({ ...accessOf(email), staleTime: 0 });
      setShown(email);
      return {};
    } catch (error) {
      setShown('');
      return tellRefusal(error, say('Failed to fetch user access'), {
        user_not_found: 'email',
        invalid_request: 'email',
      });
    }
  });
  return { access, form };
}

/** Writes a newly issued coupon into the cached response. The card then shows it without another request (R-UAC-08). */
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

function Who({ access: { user, products } }: { access: Access }) {
  return (
    <div className={styles.who}>
      {user.name && <bdi className={styles.name}>{user.name}</bdi>}
      <span className={styles.faint}>{user.email}</span>
      {user.last_sign_in_at !== undefined && (
        <span className={styles.faint}>
          {say('Last sign-in: {time}', { time: sayTime(user.last_sign_in_at) })}
        </span>
      )}
      <span className={`${styles.faint} ${styles.count}`}>
        {sayProducts(products.filter(hasAccess).length)}
      </span>
    </div>
  );
}

/** Lists the user's products: first the products to which the user has access now or later, then all others. */
function Products({ access: { user, products }, reveals }: { access: Access; reveals: Reveals }) {
  const { asked, ask, onClose } = useAct(user.email);
  const item = (product: AccessProduct) => (
    <AccessItem
      key={product.product_id}
      user={user}
      product={product}
      reveals={reveals}
      onCoupon={(coupon) => setCoupon(user.email, product.product_id, coupon)}
      onAct={(act) => void ask(act, product.product_id)}
    />
  );
  const ahead = products.filter(hasAccess);
  const others = products.filter((product) => !hasAccess(product));
  return (
    <>
      {products.length === 0 && <p className={styles.none}>{say('This user has no products yet.')}</p>}
      <ul>{ahead.map(item)}</ul>
      {others.length > 0 && (
        <>
          <h3 className={styles.else}>{say('No access now')}</h3>
          <ul>{others.map(item)}</ul>
        </>
      )}
      {asked && <AccessDialog {...asked} user={user} onClose={onClose} />}
    </>
  );
}

/**
 * Returns the action for which a dialog is open, and a function that opens the dialog. This function first loads the
 * user's products and codes again. Somebody else may have changed the access, and a code that was just issued has no id
 * in the cache yet.
 */
function useAct(email: string) {
  const [asked, setAsked] = useState<{ act: AccessAct; product: AccessProduct } | null>(null);
  const ask = async (act: AccessAct, productId: string) => {
    try {
      const { products } = await queryClient.fetchQuery({ ...accessOf(email), staleTime: 0 });
      const product = products.find(({ product_id }) => product_id === productId);
      if (product && isPossible(act, product)) setAsked({ act, product });
      else tellError(say('Somebody else changed this meanwhile.'));
    } catch (error) {
      tellRefusal(error, say('Failed to fetch user access'));
    }
  };
  const onClose = () => {
    // Renders synchronously: the dialog returns the focus to the menu, or to the main content if the menu no longer
    // exists. The product may have moved to the other list, where it has a new menu.
    flushSync(() => setAsked(null));
    if (!document.activeElement?.closest('[data-product]')) focusItem(asked?.product.product_id);
  };
  return { asked, ask, onClose };
}
