// The products of one user with the user's codes, and the dialogs of their acts. The card on the page of all users and
// the record of a person show this list.
import { type ReactNode, useState } from 'react';
import { flushSync } from 'react-dom';
import { queryClient } from '../../../queries.ts';
import { say } from '../../../words/say.ts';
import type { Reveals } from '../hidden-codes/use-reveals.ts';
import { tellError, tellRefusal } from '../refusal-toast.ts';
import { today } from '../today.ts';
import styles from './access.module.css';
import {
  type Access,
  type AccessProduct,
  type AssignedCoupon,
  accessOf,
  type DialogAct,
  hasAccess,
  isPossible,
} from './access.ts';
import { AccessDialog } from './access-dialog.tsx';
import { AccessItem, focusItem } from './access-item.tsx';
import { mailCode } from './mail-code.ts';
import { explainCode } from './say-verdict.ts';

/** Writes a newly issued coupon into the cached response. The card then shows it without another request (R-UAC-08). */
function setCoupon(email: string, productId: string, coupon: AssignedCoupon): void {
  queryClient.setQueryData(
    accessOf(email).queryKey,
    (access: Access | undefined) =>
      access && {
        ...access,
        products: access.products.map((product) =>
          product.product_id === productId
            ? { ...product, hasCoupon: true, coupon, why: explainCode(today()) }
            : product,
        ),
      },
  );
}

type AccessProductsProps = {
  access: Access;
  reveals: Reveals;
  /** Shown if the list is empty. */
  none: ReactNode;
};

/** Lists the user's products: first the products to which the user has access now or later, then all others. */
export function AccessProducts({ access: { user, products }, reveals, none }: AccessProductsProps) {
  const { asked, ask, onClose } = useAct(user.email);
  /** Id of the product whose reasons are shown. */
  const [open, setOpen] = useState<string | null>(null);
  const item = (product: AccessProduct) => (
    <AccessItem
      key={product.product_id}
      user={user}
      product={product}
      reveals={reveals}
      isOpen={open === product.product_id}
      onWhy={() => setOpen(open === product.product_id ? null : product.product_id)}
      onCoupon={(coupon) => setCoupon(user.email, product.product_id, coupon)}
      onAct={(act) =>
        void (act === 'mail' ? mailCode(user.email, product.product_id) : ask(act, product.product_id))
      }
    />
  );
  const ahead = products.filter(hasAccess);
  const others = products.filter((product) => !hasAccess(product));
  return (
    <>
      {products.length === 0 && none}
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
  const [asked, setAsked] = useState<{ act: DialogAct; product: AccessProduct } | null>(null);
  const ask = async (act: DialogAct, productId: string) => {
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
