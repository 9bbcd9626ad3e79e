// The mark of codes that the portal made and whose partner may not know them yet, and how staff clear it (R-DAY-33).
import { type Coupon, confirmCoupon, confirmProduct } from '@portal/contract';
import { Check } from 'lucide-react';
import { useState } from 'react';
import { call } from '../../api.ts';
import { Button } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { classes, focusMain } from '../../ui/dom.ts';
import { Tag } from '../../ui/tag.tsx';
import { formatNumber } from '../../words/format.ts';
import { t, tCount, tNode } from '../../words/translate.ts';
import { useAction } from '../action.tsx';
import { RoleGate } from '../role.tsx';
import { TEXT_LINK } from './person.tsx';

export function UnknownTag({ coupon: { unconfirmed } }: { coupon: Pick<Coupon, 'unconfirmed'> }) {
  return unconfirmed && <Tag tone="warning">{t('Not known to the partner')}</Tag>;
}

/** For dialogs after which the portal makes a code. */
export const formatNoneLeft = () =>
  t('No code is left: the portal generates one. The partner must accept it before it works.');

const CHANGES = ['coupons', 'users'] as const;

type ConfirmCodeProps = {
  coupon: Pick<Coupon, 'unconfirmed'>;
  /** Returns the id of the code. */
  findId: () => string | Promise<string>;
  /** Set in a list of products: names the product to screen readers. The control then looks like a link. */
  product?: string;
};

/** The button that clears the mark of one code. Renders nothing for a code without the mark. */
export function ConfirmCode({ coupon, findId, product }: ConfirmCodeProps) {
  const { run, busy } = useAction({
    send: async () => call(confirmCoupon, { params: { id: await findId() } }),
    failed: t('Failed to mark the code'),
    done: t('Code marked as known to the partner'),
    changes: CHANGES,
  });
  if (!coupon.unconfirmed) return null;
  const props = { busy, onClick: () => void run() };
  return (
    <RoleGate to={confirmCoupon}>
      {product === undefined ? (
        <Button {...props} ref={passFocus} size="sm" icon={Check}>
          {t('The partner knows it')}
        </Button>
      ) : (
        <LinkButton {...props} product={product} />
      )}
    </RoleGate>
  );
}

/** If the button is removed while it has the focus, the menu of its product gets the focus, or else the main content. */
function passFocus(button: HTMLButtonElement | null) {
  return () => {
    if (button === null || button !== document.activeElement) return;
    const menu = button.closest('[data-product]')?.querySelector<HTMLElement>('[aria-haspopup]');
    queueMicrotask(() => (menu ? menu.focus() : focusMain()));
  };
}

type LinkButtonProps = {
  product: string;
  busy?: boolean;
  onClick: () => void;
};

function LinkButton({ product, busy, onClick }: LinkButtonProps) {
  return (
    <button
      ref={passFocus}
      type="button"
      className={classes(TEXT_LINK, 'cursor-pointer text-left text-sm')}
      aria-busy={busy || undefined}
      aria-label={t('The partner knows it: {product}', { product })}
      onClick={onClick}
    >
      {t('The partner knows it')}
    </button>
  );
}

type UnknownCodesProps = { product: { product_id: string; name: string; unconfirmed: number } };

/** For the row of a product with marked codes: their tag, and the button that clears all of them. */
export function UnknownCodes({ product }: UnknownCodesProps) {
  const [isAsked, setAsked] = useState(false);
  const { product_id, name, unconfirmed: shown } = product;
  const close = () => setAsked(false);
  const action = useAction({
    send: (_input: undefined, expected) =>
      call(confirmProduct, { params: { id: product_id }, body: { expected } }),
    failed: t('Failed to mark the codes'),
    counted: {
      shown,
      formatChange: (now, before) =>
        t('There are {now} such codes now, not {before}. Please look again.', { now, before }),
    },
    onDone: close,
    done: ({ confirmed }) =>
      tCount(confirmed, {
        one: '{count} code marked as known to the partner',
        other: '{count} codes marked as known to the partner',
      }),
    changes: CHANGES,
  });
  const { count } = action;
  // A server of the version before sends no count.
  if (!shown && !isAsked) return null;
  return (
    <span className="flex flex-wrap items-center gap-x-3 gap-y-0.5 font-normal">
      <UnknownTag coupon={{ unconfirmed: true }} />
      <RoleGate to={confirmProduct}>
        <LinkButton product={name} onClick={() => setAsked(true)} />
      </RoleGate>
      {isAsked && (
        <ConfirmDialog
          title={
            count === 1 ? t('Does the partner know this code?') : t('Does the partner know these codes?')
          }
          words={
            count === 1
              ? tNode(
                  'The portal made a code of {product}. It works only after you gave it to the partner.',
                  {
                    product: <bdi>{name}</bdi>,
                  },
                )
              : tNode(
                  'The portal made {count} codes of {product}. They work only after you gave them to the partner.',
                  { count: formatNumber(count), product: <bdi>{name}</bdi> },
                )
          }
          confirm={t('The partner knows it')}
          action={action}
          onCancel={close}
        />
      )}
    </span>
  );
}
