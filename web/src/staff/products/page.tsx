// The admin page of one product: its form, its state, and its uploads (R-LIFE-31).
import {
  editProduct,
  getProductRecord,
  importCoupons,
  listBatches,
  type NewStatus,
  PRODUCT_TEXTS,
  type ProductRecord,
  type ProductStatus,
  REASON_MAX,
  setProductStatus,
} from '@portal/contract';
import {
  Archive,
  ArchiveRestore,
  ArrowUpRight,
  CalendarClock,
  CalendarX,
  CircleCheck,
  CirclePause,
  type LucideIcon,
  Pause,
  Play,
} from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { Link, useParams } from 'wouter';
import { call } from '../../api.ts';
import { productPath } from '../../navigation.ts';
import { Button, buttonClass, OFF_BUTTON } from '../../ui/button.tsx';
import { Card, CardBody } from '../../ui/card.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { classes } from '../../ui/dom.ts';
import { TextArea } from '../../ui/field.tsx';
import { Icon } from '../../ui/icon.tsx';
import { formatDay, formatNumber } from '../../words/format.ts';
import { t, tCount } from '../../words/translate.ts';
import { useAction } from '../action.tsx';
import { listBatchColumns, listUploadWords } from '../files/lists.tsx';
import { FIELDS } from '../form.tsx';
import { CARDS, Facts, RecordPage } from '../frame.tsx';
import { ShortList } from '../list.tsx';
import {
  AddCodesLink,
  type EditedName,
  explainStatus,
  formatProductLabels,
  formatStatus,
  isProductDay,
  StatusTag,
} from '../nouns/product.tsx';
import { listForecast, needsCodes } from '../nouns/stock.tsx';
import { RoleGate } from '../role.tsx';
import { EditForm } from './form.tsx';

export function ProductPage() {
  const { id = '' } = useParams();
  return (
    <RecordPage
      of={getProductRecord}
      id={id}
      // The form begins with the newest version.
      isFresh
      back={{ href: '/admin/products', label: t('Products') }}
      title={t('Product')}
      loading={t('Loading product...')}
      notLoaded={t('We could not load the product.')}
      unknown={{ heading: t('Product not found'), words: t('No product has this address.') }}
      frame={frameOf}
      timeline={{ product_id: id }}
    >
      {(record, reload) => (
        <>
          {/* In a grid of its own, so that the sticky card with the state never covers the cards below. */}
          <div className={CARDS}>
            <StateCard record={record} onChanged={reload} />
            <Card title={t('Product')} className="lg:[grid-area:1/1/auto/span_8]">
              <CardBody>
                <RoleGate to={editProduct} otherwise={<ProductFacts record={record} />}>
                  <EditForm record={record} />
                </RoleGate>
              </CardBody>
            </Card>
          </div>
          <RoleGate to={listBatches}>
            <ShortList
              list={listBatches}
              filters={{ product_id: id }}
              title={t('Uploads of this product')}
              words={{ ...listUploadWords(), empty: t('No codes were uploaded for this product yet.') }}
              columns={listBatchColumns()}
            />
          </RoleGate>
        </>
      )}
    </RecordPage>
  );
}

function frameOf(record: ProductRecord) {
  return {
    title: record.name,
    tag: <StatusTag status={record.status} />,
    aside: (
      <Link
        href={productPath(record)}
        className={buttonClass({ look: 'ghost', size: 'sm', className: '-mx-3' })}
      >
        {t('Open product page')}
        <Icon of={ArrowUpRight} size={16} />
      </Link>
    ),
  };
}

/** Texts over the whole width, as in the form. */
const LONG: readonly string[] = PRODUCT_TEXTS.filter((text) => 'rows' in text).map(({ name }) => name);

/** For members who may not change the product (R-TEAM-31). */
function ProductFacts({ record }: { record: ProductRecord }) {
  const labels = Object.entries(formatProductLabels()) as [EditedName, string][];
  return (
    <dl
      className={classes(
        FIELDS,
        '[&_dt]:text-sm [&_dt]:text-ink-3 [&_dd]:mt-0.5 [&_dd]:wrap-anywhere [&_dd]:whitespace-pre-line',
      )}
    >
      {labels.map(([name, label]) => {
        const value = record[name];
        return (
          <div key={name} className={LONG.includes(name) ? 'col-span-full' : undefined}>
            <dt>{label}</dt>
            <dd dir="auto">{value ? (isProductDay(name) ? formatDay(value) : value) : '-'}</dd>
          </div>
        );
      })}
      <div>
        <dt>{t('Shared Coupon')}</dt>
        <dd>{record.shared_coupon ? t('Yes') : t('No')}</dd>
      </div>
    </dl>
  );
}

const ICONS: Record<ProductStatus, LucideIcon> = {
  live: CircleCheck,
  paused: CirclePause,
  scheduled: CalendarClock,
  ended: CalendarX,
  archived: Archive,
};

type StateCardProps = { record: ProductRecord; onChanged: () => Promise<unknown> };

/** `onChanged` loads `record` again. */
function StateCard({ record, onChanged }: StateCardProps) {
  const { status, pause_note, shared_coupon } = record;
  const heading = useFocusKept(status);
  return (
    <section
      className="lg:sticky lg:top-16 lg:[grid-area:1/9/auto/span_4] lg:self-start"
      aria-label={t('State')}
    >
      <CardBody className="bg-surface border border-line rounded-lg">
        <h2
          ref={heading}
          tabIndex={-1}
          className="text-lg flex items-center gap-2 [&>svg]:text-ink-3 data-[is=live]:[&>svg]:text-accent-graphic data-[is=paused]:[&>svg]:text-warning-text"
          data-is={status}
        >
          <Icon of={ICONS[status]} size={18} />
          {formatStatus(status)}
        </h2>
        <p className="mt-1 text-ink-2 wrap-anywhere">{explainStatus(record)}</p>
        {status === 'paused' && pause_note !== null && (
          <p dir="auto" className="text-sm mt-2 pl-3 border-l-2 border-line-strong text-ink-2 wrap-anywhere">
            {pause_note}
          </p>
        )}
        <div className="my-4.5 last:mb-0">
          <Facts
            of={{
              [t('Hold a code')]: formatNumber(record.held),
              [t('Codes left')]: shared_coupon ? t('shared code') : formatNumber(record.left),
              [t('Revoked')]: formatNumber(record.revoked),
              [t('Void')]: formatNumber(record.void),
              [t('Expired')]: formatNumber(record.expired),
            }}
          />
        </div>
        <StockOutlook record={record} />
        <RoleGate to={setProductStatus}>
          <Actions record={record} onChanged={onChanged} />
        </RoleGate>
      </CardBody>
    </section>
  );
}

/** How long the codes last (R-FUN-10). */
function StockOutlook({ record }: { record: ProductRecord }) {
  const { product_id, held, revoked, left } = record;
  const said = listForecast(record, { withPace: true });
  if (said.length === 0) return null;
  return (
    <div className="mb-4.5 last:mb-0 text-sm text-ink-2">
      {said.map((sentence) => (
        <p key={sentence} className="first-letter:uppercase">
          {sentence}
        </p>
      ))}
      {needsCodes({ ...record, total: held + revoked + left }) && (
        <RoleGate to={importCoupons}>
          <AddCodesLink product={product_id} />
        </RoleGate>
      )}
    </div>
  );
}

function formatDone(from: ProductStatus, to: NewStatus['status']): string {
  if (to === 'paused') return t('Product paused');
  if (to === 'archived') return t('Product archived');
  return from === 'archived' ? t('Product brought back') : t('Product resumed');
}

function Actions({ record: { product_id: id, ...record }, onChanged }: StateCardProps) {
  const { status } = record;
  const [asking, setAsking] = useState<'paused' | 'archived' | null>(null);
  const isStopped = status === 'paused' || status === 'archived';
  // Somebody else has done it meanwhile.
  if (asking === status) setAsking(null);
  const action = useAction({
    send: async (body: NewStatus) => {
      const was = isStopped ? status : 'live';
      await call(setProductStatus, { params: { id }, body: { ...body, was } });
      return formatDone(status, body.status);
    },
    failed: t('Failed to change the product'),
    stays: true,
    onDone: async () => {
      // Before the new state removes the opener, so that the focus returns to the opener; see `useFocusKept`.
      setAsking(null);
      await onChanged();
    },
    done: (done) => done,
    changes: ['products'],
  });
  const { run, busy, isDisabled } = action;
  const ask = (next: 'paused' | 'archived') => {
    setAsking(next);
    // The dialog shows how many people hold a code now.
    void onChanged();
  };
  const canPause = status === 'live' || status === 'scheduled';
  return (
    <div className="flex flex-wrap gap-3">
      {canPause && (
        <Button size="sm" icon={Pause} onClick={() => ask('paused')}>
          {t('Pause')}
        </Button>
      )}
      {isStopped && (
        <Button
          size="sm"
          look="primary"
          className={OFF_BUTTON}
          busy={busy && asking === null}
          aria-disabled={isDisabled || undefined}
          onClick={() => void run({ status: 'live', note: null })}
        >
          <Icon of={status === 'paused' ? Play : ArchiveRestore} size={16} />
          {status === 'paused' ? t('Resume') : t('Bring back')}
        </Button>
      )}
      {status !== 'archived' && (
        <Button size="sm" icon={Archive} onClick={() => ask('archived')}>
          {t('Archive')}
        </Button>
      )}
      {asking && (
        <StatusDialog
          next={asking}
          product={record}
          action={action}
          onCancel={() => setAsking(null)}
          onConfirm={(note) => void run({ status: asking, note })}
        />
      )}
    </div>
  );
}

/** Returns a ref for the heading. It gets the focus if a change of the status has removed the focused button. */
function useFocusKept(status: ProductStatus) {
  const heading = useRef<HTMLHeadingElement>(null);
  const last = useRef(status);
  useEffect(() => {
    if (last.current === status) return;
    last.current = status;
    if (document.activeElement === document.body) heading.current?.focus();
  }, [status]);
  return heading;
}

type StatusDialogProps = Pick<Parameters<typeof ConfirmDialog>[0], 'action' | 'onCancel'> & {
  next: 'paused' | 'archived';
  product: Omit<ProductRecord, 'product_id'>;
  onConfirm: (note: string | null) => void;
};

function StatusDialog({ next, product: { name, held, left, shared_coupon }, ...props }: StatusDialogProps) {
  const [note, setNote] = useState('');
  const holders =
    held === 0
      ? t('Nobody holds a code yet.')
      : tCount(held, {
          one: '{count} person holds a code and keeps seeing it.',
          other: '{count} hold a code and keep seeing it.',
        });
  const unused =
    shared_coupon || left === 0
      ? ''
      : tCount(left, {
          one: '{count} unused code stays with the product.',
          other: '{count} unused codes stay with the product.',
        });
  const isPause = next === 'paused';
  const words = isPause
    ? t('People without a code see ‘Paused’ and cannot redeem.')
    : t('People without a code no longer see it on their page; its link says ‘This offer has ended’.');
  return (
    <ConfirmDialog
      {...props}
      title={isPause ? t('Pause {product}?', { product: name }) : t('Archive {product}?', { product: name })}
      words={`${words} ${holders}`}
      confirm={isPause ? t('Pause') : t('Archive')}
      // The server accepts only one line.
      onConfirm={() => props.onConfirm(note.replaceAll(/\s+/g, ' ').trim() || null)}
    >
      {isPause ? (
        <TextArea
          label={t('Note')}
          optional={t('optional, for staff only')}
          rows={3}
          value={note}
          onChange={setNote}
          maxLength={REASON_MAX}
        />
      ) : (
        <p>{`${unused} ${t('You can bring it back at any time.')}`.trim()}</p>
      )}
    </ConfirmDialog>
  );
}
