// The page of one code: where the code comes from, its state, and what happened to it (R-TRAIL-06, R-TRAIL-52).
import {
  type CouponRecord,
  getCoupon,
  hasRole,
  issueCode,
  REASON_MAX,
  REVOKE_ONLY_ROLE,
  revokeCoupon,
  type VoidReason,
  viewAsLearner,
  voidCoupon,
} from '@portal/contract';
import { Ban, Eye, RefreshCw, Send, TicketX } from 'lucide-react';
import { useState } from 'react';
import { Link, useParams } from 'wouter';
import { call } from '../../api.ts';
import { productIdOf } from '../../navigation.ts';
import { queryClient, queryOf } from '../../queries.ts';
import { NotFoundPage } from '../../refused-pages.tsx';
import { useTeamRole } from '../../sign-in/admin-check.ts';
import { Button, buttonClass } from '../../ui/button.tsx';
import { Card, CardBody } from '../../ui/card.tsx';
import { RadioGroup } from '../../ui/choice.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { TextField } from '../../ui/field.tsx';
import { Icon } from '../../ui/icon.tsx';
import { ActionMenu } from '../../ui/menu.tsx';
import { t, tNode } from '../../words/translate.ts';
import { toastWarning } from '../action.tsx';
import { useDialogForm } from '../form.tsx';
import { FactLink, Facts, RecordPage } from '../frame.tsx';
import { CODES_PATH, CodeState, HiddenCode, type Reveals, UPLOADS_PATH, useReveals } from '../nouns/code.tsx';
import { formatReason, formatTimeAndActor } from '../nouns/log-line.ts';
import { RecordLink, viewAsPath } from '../nouns/person.tsx';
import { useProducts } from '../nouns/product.tsx';
import { RevokeDialog } from '../nouns/revoke-code.tsx';
import { ConfirmCode, UnknownTag } from '../nouns/unknown-code.tsx';
import { RoleGate, useMay } from '../role.tsx';
import { formatDay, today } from '../time.ts';
import { SendCodeDialog } from './send-code.tsx';

export function CouponPage() {
  const { id = '' } = useParams();
  // The key hides a shown code again when the address changes to another code and back.
  return <CodePage key={id} id={id} />;
}

function CodePage({ id }: { id: string }) {
  const reveals = useReveals();
  return (
    <RecordPage
      of={getCoupon}
      id={id}
      back={{ href: CODES_PATH, label: t('Codes') }}
      title={t('Code')}
      loading={t('Loading the code...')}
      notLoaded={t('We could not load the code.')}
      unknown={<NotFoundPage />}
      frame={(coupon) => ({
        title: formatTitle(coupon),
        tag: (
          <>
            <CodeState state={coupon.state} />
            <UnknownTag coupon={coupon} />
          </>
        ),
        lines: <CodeLine coupon={coupon} reveals={reveals} />,
        aside: <CodeActions coupon={coupon} code={reveals.shown.get(id) ?? null} />,
      })}
      timeline={{ coupon_id: id }}
    >
      {(coupon) => (
        <>
          <HolderCard coupon={coupon} />
          <CodeFacts coupon={coupon} />
        </>
      )}
    </RecordPage>
  );
}

function formatTitle({ hint, product }: CouponRecord): string {
  return hint === null
    ? t('Code of {product}', { product: product.name })
    : t('Code ending in {hint}', { hint });
}

/** The code itself, below the title. */
function CodeLine({ coupon, reveals }: { coupon: CouponRecord; reveals: Reveals }) {
  const role = useTeamRole();
  return (
    <div className="mt-2 [&>*>:first-child]:text-xl/8 [&>*>:first-child]:font-medium">
      <HiddenCode
        coupon={{ ...coupon, coupon_code: null }}
        reveals={reveals}
        // Support sees only codes that somebody holds or held (R-IMP-42).
        mayShow={coupon.holder !== null || hasRole(role, 'manager')}
      />
    </div>
  );
}

/**
 * What staff can do with the code (R-DAY-32); the most common action comes first. A shared code is never revoked (N-97).
 * `code` is the code if the page shows it: a dialog does not hide it then (R-DAY-38).
 */
function CodeActions({ coupon, code }: { coupon: CouponRecord; code: string | null }) {
  const { id, product, holder, state, current, hint } = coupon;
  const may = useMay();
  const [asked, setAsked] = useState<'replace' | 'revoke' | 'send' | 'void' | null>(null);
  const onClose = () => setAsked(null);
  const { query, products } = useProducts();
  // Until the products are loaded, the code may be a shared one, which is not sent, replaced or revoked.
  const isShared =
    query.isPending ||
    products.some((each) => each.shared_coupon && productIdOf(each) === product.product_id);
  const isHeld = state === 'held' && holder !== null && !isShared;
  const groups = [
    [
      isHeld &&
        may({ role: REVOKE_ONLY_ROLE }) && {
          label: t('Revoke code'),
          icon: TicketX,
          danger: true,
          onChoose: () => setAsked('revoke'),
        },
    ],
  ];
  return (
    <>
      {/* On phones, the most common action has the first row with the menu. */}
      <div className="flex flex-wrap items-center gap-2 max-md:mt-2 max-md:grid max-md:w-full max-md:grid-cols-[minmax(0,1fr)_auto]">
        {isHeld && current && may(revokeCoupon) && (
          <Button size="sm" look="primary" icon={RefreshCw} onClick={() => setAsked('replace')}>
            {t('Replace code')}
          </Button>
        )}
        {state === 'free' && !isShared && may(issueCode) && (
          <Button size="sm" look="primary" icon={Send} onClick={() => setAsked('send')}>
            {t('Send to …')}
          </Button>
        )}
        <div className="empty:hidden max-md:order-last max-md:col-span-full max-md:grid">
          <ConfirmCode coupon={coupon} findId={() => id} />
        </div>
        {state === 'free' && may(voidCoupon) && (
          <Button size="sm" icon={Ban} onClick={() => setAsked('void')}>
            {t('Make void')}
          </Button>
        )}
        <ActionMenu label={t('More for this code')} groups={groups} />
      </div>
      {holder && (asked === 'replace' || asked === 'revoke') && (
        <RevokeDialog
          who={holder.name?.trim() || holder.email}
          product={product}
          coupon={{ id, coupon_code: code, hint }}
          hasEarlier={null}
          replaces={asked === 'replace'}
          onDone={async (warning) => {
            await reload(id);
            onClose();
            if (warning !== undefined) toastWarning(warning);
          }}
          onClose={onClose}
        />
      )}
      {asked === 'send' && (
        <SendCodeDialog
          coupon={coupon}
          code={code}
          onDone={async () => {
            await reload(id);
            onClose();
          }}
          onClose={onClose}
        />
      )}
      {asked === 'void' && <VoidCodeDialog coupon={coupon} onClose={onClose} />}
    </>
  );
}

/** Loads the code again before a dialog closes: the button that opened the dialog may be gone then. */
const reload = (id: string) => queryClient.refetchQueries({ queryKey: queryOf(getCoupon, { id }).queryKey });

function VoidCodeDialog({ coupon: { id, product }, onClose }: { coupon: CouponRecord; onClose: () => void }) {
  const form = useDialogForm({
    start: { reason: '' as VoidReason | '', note: '' },
    // Without a reason, the dialog cannot be confirmed.
    send: ({ reason, note }) =>
      call(voidCoupon, { params: { id }, body: { reason: reason || 'mistake', note: note || null } }),
    failed: t('Failed to make the code void'),
    onDone: async () => {
      await reload(id);
      onClose();
    },
    done: t('Code made void'),
    changes: ['coupons'],
  });
  const { reason } = form.values;
  return (
    <ConfirmDialog
      title={t('Make this code void?')}
      words={tNode('Nobody holds this code of {product}. It will not be handed out any more.', {
        product: <bdi>{product.name}</bdi>,
      })}
      confirm={t('Make void')}
      danger
      isForm
      action={form}
      disabled={reason === ''}
      onCancel={onClose}
    >
      <RadioGroup
        label={t('Why?')}
        value={reason}
        options={[
          { value: 'mistake', label: t('By mistake here. The same code may be uploaded again.') },
          { value: 'dead', label: t('It does not work. It stays void, even if it is uploaded again.') },
        ]}
        onChange={form.field('reason').onChange}
      />
      <TextField
        {...form.field('note')}
        label={t('Note')}
        optional
        autoComplete="off"
        maxLength={REASON_MAX}
      />
    </ConfirmDialog>
  );
}

function CodeFacts({ coupon }: { coupon: CouponRecord }) {
  const { product, batch, use_by } = coupon;
  return (
    <Card title={t('About this code')} className={hasHolderFacts(coupon) ? 'lg:col-span-6' : undefined}>
      <CardBody>
        <Facts
          of={{
            [t('Product')]: (
              <FactLink href={`/admin/products/${product.product_id}`}>{product.name}</FactLink>
            ),
            [t('Last day')]: formatLastDay(use_by),
            [t('Upload')]: <Source batch={batch} />,
            [t('Added')]: formatTimeAndActor(batch.created_at, batch.created_by),
          }}
        />
      </CardBody>
    </Card>
  );
}

function Source({ batch: { id, source, file_name } }: Pick<CouponRecord, 'batch'>) {
  if (source === 'form') return t('None: entered in the form');
  if (source === 'generated') return t('None: generated by the portal');
  return <FactLink href={`${UPLOADS_PATH}/${id}`}>{file_name ?? t('No file name')}</FactLink>;
}

function formatLastDay(useBy: string | null): string {
  if (useBy === null) return t('None');
  const day = formatDay(useBy);
  return useBy < today() ? t('{day}, has passed', { day }) : day;
}

/** False for a code that nobody ever held: the card of the holder has only one sentence then, and the whole width. */
const hasHolderFacts = ({ holder, voided_at }: CouponRecord) => holder !== null || voided_at !== null;

/** Who holds the code, or held it, since when, and why not any more. */
function HolderCard({ coupon }: { coupon: CouponRecord }) {
  const { state, holder, assigned_at, revoked_at, voided_at } = coupon;
  const reason = coupon.revoke_reason ?? coupon.void_reason;
  const hasFacts = hasHolderFacts(coupon);
  return (
    <Card
      title={state === 'revoked' ? t('Former holder') : t('Holder')}
      sub={explainState(coupon)}
      className={hasFacts ? 'lg:col-span-6' : 'pb-5'}
      action={
        state === 'held' &&
        holder && (
          <RoleGate to={viewAsLearner}>
            <Link
              href={viewAsPath(holder.user_id)}
              className={buttonClass({
                size: 'sm',
                look: 'ghost',
                className: 'whitespace-nowrap max-md:-ml-3',
              })}
            >
              <Icon of={Eye} size={16} />
              {t('View as learner')}
            </Link>
          </RoleGate>
        )
      }
    >
      {hasFacts && (
        <CardBody>
          {holder && <Holder of={holder} />}
          <Facts
            of={{
              [t('Assigned')]: assigned_at && formatTimeAndActor(assigned_at, coupon.assigned_by),
              [t('Revoked')]: revoked_at && formatTimeAndActor(revoked_at, coupon.revoked_by),
              [t('Made void')]: voided_at && formatTimeAndActor(voided_at, coupon.voided_by),
              [t('Reason')]: reason && <bdi>{formatReason(reason)}</bdi>,
            }}
          />
        </CardBody>
      )}
    </Card>
  );
}

function Holder({ of: { user_id, name, email } }: { of: NonNullable<CouponRecord['holder']> }) {
  const given = name?.trim();
  return (
    <p className="mb-4 wrap-anywhere">
      <RecordLink to={user_id}>
        <bdi>{given || email}</bdi>
      </RecordLink>
      {given && <span className="block text-sm text-ink-2">{email}</span>}
    </p>
  );
}

function explainState({ state, current }: Pick<CouponRecord, 'state' | 'current'>): string {
  if (state === 'free') return t('Nobody holds this code. It is in the pool of its product.');
  if (state === 'void') return t('Nobody holds this code. It will not be handed out.');
  if (state === 'expired')
    return t('Nobody holds this code, and its last day has come. It will not be handed out.');
  if (state === 'revoked') return t('The code was taken back. Its former holder does not see it any more.');
  return current
    ? t('The product page shows this code to its holder.')
    : t('Its holder has got another code of this product since. The product page shows the other code.');
}
