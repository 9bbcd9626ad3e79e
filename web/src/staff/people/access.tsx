// Finds a user by email address and shows the user's products and codes (R-UAC-01 to R-UAC-15).

import type { Explanation } from '@portal/contract';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, type Ref, useEffect, useId, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import { ApiError } from '../../api.ts';
import { queryClient } from '../../queries.ts';
import { Button } from '../../ui/button.tsx';
import { CardBody } from '../../ui/card.tsx';
import { TextField } from '../../ui/field.tsx';
import { showError } from '../../ui/toast-store.ts';
import { useForm } from '../../ui/use-form.ts';
import { t } from '../../words/translate.ts';
import { toastError, toastRefusal, useAction } from '../action.tsx';
import { type Reveals, useReveals } from '../nouns/code.tsx';
import { CohortLink } from '../nouns/cohort.tsx';
import { formatSignIn, RecordLink } from '../nouns/person.tsx';
import { formatProducts } from '../nouns/product.tsx';
import { formatUnknown } from '../nouns/verdict.ts';
import { today } from '../time.ts';
import { AccessDialog } from './access-dialogs.tsx';
import { AccessItem, focusItem } from './access-item.tsx';
import type { Access, AccessAction, AccessProduct, AssignedCoupon } from './access-words.ts';
import { accessOf, hasAccess, isPossible } from './access-words.ts';

/** The content of the card 'User Access Management'. */
export function AccessCard() {
  const { access, similar, busy, form, lookUpSimilar } = useAccess();
  const reveals = useReveals();
  const who = useRef<HTMLDivElement>(null);
  return (
    <>
      <CardBody>
        <form
          {...form.props}
          data-untouched={form.values.email === '' ? '' : undefined}
          className="flex items-start gap-3 [&>button]:mt-[calc(var(--text-sm--line-height)_+_0.375rem)] max-md:flex-col max-md:[&>button]:mt-0"
        >
          <TextField
            {...form.field('email')}
            className="flex-[0_1_26rem] max-md:flex-none max-md:w-[min(100%,_26rem)]"
            label={t('User email')}
            type="email"
            placeholder="learner@example.org"
          />
          <Button look="primary" type="submit" busy={form.busy}>
            {t('View Products')}
          </Button>
        </form>
      </CardBody>
      <div aria-live="polite">{access && <AccessWho access={access} ref={who} />}</div>
      {access && (
        <AccessProducts
          key={access.user.email}
          access={access}
          reveals={reveals}
          none={<p className="py-5 px-6 text-ink-2 max-md:px-4.5">{t('This person has no products yet.')}</p>}
        />
      )}
      {similar && (
        <AccessUnknown
          similar={similar}
          busy={busy || form.busy}
          onLookUp={async (email) => {
            await lookUpSimilar(email);
            // The button that was clicked is gone.
            who.current?.focus();
          }}
        />
      )}
    </>
  );
}

/** Writes a newly issued coupon into the cached response, so that no further request is needed (R-UAC-08). */
function setCoupon(email: string, productId: string, coupon: AssignedCoupon): void {
  // `formatVerdict` does not need the English sentence.
  const why: Explanation = { verdict: 'holds_code', sentence: '', parts: { day: today() } };
  queryClient.setQueryData(
    accessOf(email).queryKey,
    (access: Access | undefined) =>
      access && {
        ...access,
        products: access.products.map((product) =>
          product.product_id === productId ? { ...product, hasCoupon: true, coupon, why } : product,
        ),
      },
  );
}

const LAST_LIST = '[&>:last-child]:border-b-0';

type AccessProductsProps = { access: Access; reveals: Reveals; none: ReactNode; replaces?: boolean };

/**
 * The user's products with their codes and actions: first those to which the user has access now or later, then all
 * others. `none` is shown if there is no product. For `replaces`, see `AccessItem`.
 */
export function AccessProducts({ access, reveals, none, replaces = false }: AccessProductsProps) {
  const { user, products } = access;
  const { asked, ask, onClose } = useAsked(user.email);
  // Id of the product whose reasons are shown.
  const [open, setOpen] = useState<string | null>(null);
  const item = (product: AccessProduct) => (
    <AccessItem
      key={product.product_id}
      user={user}
      product={product}
      reveals={reveals}
      replaces={replaces}
      isOpen={open === product.product_id}
      onWhy={() => setOpen(open === product.product_id ? null : product.product_id)}
      onCoupon={(coupon) => setCoupon(user.email, product.product_id, coupon)}
      onAction={(action) => void ask({ action, id: product.product_id })}
    />
  );
  const ahead = products.filter(hasAccess);
  const others = products.filter((product) => !hasAccess(product));
  return (
    <>
      {products.length === 0 && none}
      <ul className={others.length === 0 ? LAST_LIST : undefined}>{ahead.map(item)}</ul>
      {others.length > 0 && (
        <>
          <h3 className="border-b border-line bg-sunken px-6 py-2.5 text-xs/4 font-medium [letter-spacing:0] text-ink-3 max-md:px-4.5">
            {t('No access now')}
          </h3>
          <ul className={LAST_LIST}>{others.map(item)}</ul>
        </>
      )}
      {asked && <AccessDialog {...asked} user={user} onClose={onClose} />}
    </>
  );
}

/**
 * Returns the action for which a dialog is open. `ask` opens the dialog, after it has loaded the user's products and codes
 * again: somebody else may have changed them, and a new code has no id in the cache yet.
 */
function useAsked(email: string) {
  const [asked, setAsked] = useState<{ action: AccessAction; product: AccessProduct } | null>(null);
  const { run: ask } = useAction({
    send: async ({ action, id }: { action: AccessAction; id: string }) => {
      const { products } = await queryClient.fetchQuery({ ...accessOf(email), staleTime: 0 });
      const product = products.find(({ product_id }) => product_id === id);
      return product && isPossible(action, product) ? { action, product } : null;
    },
    failed: t('Failed to fetch user access'),
    onDone: (found) => {
      if (found) setAsked(found);
      else toastError(t('Somebody else changed this meanwhile.'));
    },
  });
  const onClose = () => {
    // Renders synchronously: the dialog returns the focus to its menu. If the product has moved to the other list, it has
    // a new menu there.
    flushSync(() => setAsked(null));
    if (!document.activeElement?.closest('[data-product]')) focusItem(asked?.product.product_id);
  };
  return { asked, ask, onClose };
}

function AccessWho({ access: { user, products }, ref }: { access: Access; ref: Ref<HTMLDivElement> }) {
  const cohortsId = useId();
  return (
    <div
      ref={ref}
      tabIndex={-1}
      className="flex flex-wrap items-baseline gap-x-4 gap-y-1 py-3.5 px-6 bg-sunken [border-block:1px_solid_var(--line)] wrap-anywhere max-md:px-4.5"
    >
      {user.name && <bdi className="font-medium wrap-anywhere">{user.name}</bdi>}
      <span className="text-ink-3 tabular-nums">{user.email}</span>
      {user.last_sign_in_at !== undefined && (
        <span className="text-ink-3 tabular-nums">
          {t('Last sign-in: {time}', { time: formatSignIn(user.last_sign_in_at) })}
        </span>
      )}
      <span className="text-ink-3 tabular-nums ml-auto max-md:ml-0">
        {formatProducts(products.filter(hasAccess).length)}
      </span>
      <RecordLink to={user.email}>{t('Open full record')}</RecordLink>
      {user.cohorts.length > 0 && (
        <div className="text-sm/6 flex gap-3 w-full text-ink-3 [&>span]:shrink-0 [&>ul]:flex [&>ul]:flex-wrap [&>ul]:gap-x-3 [&>ul]:gap-y-0 [&>ul]:min-w-0">
          <span id={cohortsId}>{t('Cohorts:')}</span>
          <ul aria-labelledby={cohortsId}>
            {user.cohorts.map((cohort) => (
              <li key={cohort.cohort_id}>
                <CohortLink cohort={cohort} />
              </li>
            ))}
          </ul>
        </div>
      )}
    </div>
  );
}

type AccessUnknownProps = { similar: readonly string[]; busy: boolean; onLookUp: (email: string) => void };

/**
 * Shown if nobody has the address. Offers known addresses that resemble it (R-COHORT-25). Gets the focus after each
 * look-up. `busy` is true during the next look-up.
 */
function AccessUnknown({ similar, busy, onLookUp }: AccessUnknownProps) {
  const sentence = useRef<HTMLParagraphElement>(null);
  useEffect(() => sentence.current?.focus(), [similar]);
  return (
    <div className="grid gap-1 pt-5 px-6 pb-6 border-t border-line [&>ul]:flex [&>ul]:flex-wrap [&>ul]:gap-2 [&>ul]:mt-2.5 [&>ul>li]:min-w-0 max-md:px-4.5">
      <p ref={sentence} tabIndex={-1} className="font-medium wrap-anywhere">
        {formatUnknown()}
      </p>
      {similar.length > 0 && (
        <>
          <p className="text-sm text-ink-3">{t('Did they buy with another address?')}</p>
          <ul>
            {similar.map((email) => (
              <li key={email}>
                <Button
                  size="sm"
                  className="max-w-full whitespace-normal! wrap-anywhere"
                  onClick={() => !busy && onLookUp(email)}
                >
                  {email}
                </Button>
              </li>
            ))}
          </ul>
        </>
      )}
    </div>
  );
}

/**
 * Returns the form with the address, and the result of the last look-up: `access`, or `similar` if nobody has the
 * address. `busy` is true while `lookUpSimilar` looks up one of the similar addresses.
 */
function useAccess() {
  const [shown, setShown] = useState('');
  const [similar, setSimilar] = useState<readonly string[] | null>(null);
  const { data: access } = useQuery({ ...accessOf(shown), enabled: shown !== '' });

  const lookUp = async (email: string): Promise<{ email?: string }> => {
    try {
      await queryClient.fetchQuery({ ...accessOf(email), staleTime: 0 });
      // Renders synchronously, so that the caller can move the focus to the result.
      flushSync(() => {
        setSimilar(null);
        setShown(email);
      });
      return {};
    } catch (error) {
      setShown('');
      if (error instanceof ApiError && error.code === 'user_not_found') setSimilar(error.similar);
      return toastRefusal(error, t('Failed to fetch user access'), { invalid_request: 'email' });
    }
  };
  const form = useForm({ email: '' }, async ({ email: typed }) => {
    const email = toAddress(typed);
    setSimilar(null);
    if (email !== '') return lookUp(email);
    // R-VAL-24.
    const description = t('Please enter a user email address');
    showError(t('Missing email'), description);
    return { email: description };
  });

  const [busy, setBusy] = useState(false);
  const lookUpSimilar = async (email: string): Promise<void> => {
    form.reset({ email });
    setBusy(true);
    await lookUp(email);
    setBusy(false);
  };
  return { access, similar, busy, form, lookUpSimilar };
}

/** Converts an email address to the form in which the portal stores it. */
export function toAddress(typed: string): string {
  return typed.trim().toLowerCase();
}
