// The admin page of one product: its state, its texts with the form that changes them, and its uploads (R-LIFE-31).
import {
  editProduct,
  getProductRecord,
  importCoupons,
  listBatches,
  type NewStatus,
  PRODUCT_FACTS,
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
  Pencil,
  Play,
  Plus,
} from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { Link, useLocation, useParams, useSearch } from 'wouter';
import { call } from '../../api.ts';
import { productPath } from '../../navigation.ts';
import { queryClient, queryOf } from '../../queries.ts';
import { Button, buttonClass, OFF_BUTTON } from '../../ui/button.tsx';
import { CARD, Card, CardBody } from '../../ui/card.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { classes } from '../../ui/dom.ts';
import { TextArea } from '../../ui/field.tsx';
import { Icon } from '../../ui/icon.tsx';
import { ActionMenu } from '../../ui/menu.tsx';
import { Meter } from '../../ui/progress.tsx';
import { formatNumber } from '../../words/format.ts';
import { t, tCount } from '../../words/translate.ts';
import { useAction } from '../action.tsx';
import { listBatchColumns, listUploadWords } from '../files/lists.tsx';
import { RecordPage } from '../frame.tsx';
import { ShortList } from '../list.tsx';
import {
  addCodesPath,
  type EditedName,
  explainStatus,
  formatProductLabels,
  formatStatus,
  isProductDay,
  StatusTag,
} from '../nouns/product.tsx';
import { leftLook, listForecast, StockTag, type StockTone, stockToneOf } from '../nouns/stock.tsx';
import { RoleGate, useMay } from '../role.tsx';
import { formatDay } from '../time.ts';
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
      {(record) => (
        <>
          <StateCard record={record} />
          <ProductCard record={record} />
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
    lines: (
      <p className="mt-0.5">
        <Link
          href={productPath(record)}
          className="inline-flex min-h-6 items-center gap-1 text-sm text-ink-2 underline-offset-[0.2em] hover:text-ink hover:underline"
        >
          {t('Open product page')}
          <Icon of={ArrowUpRight} size={13} />
        </Link>
      </p>
    ),
    aside: <ProductActions record={record} />,
  };
}

const EDIT = 'edit';

/** Returns whether the form is open (`?open=edit`, so that a reload keeps it), and a function that opens or closes it. */
function useOpenForm() {
  const [path, navigate] = useLocation();
  const query = new URLSearchParams(useSearch());
  const isOpen = query.get('open') === EDIT;
  const toggle = () => {
    if (isOpen) query.delete('open');
    else query.set('open', EDIT);
    const text = query.toString();
    // Replaces the history entry: Back leaves the page, and asks first if there are unsaved changes.
    navigate(path + (text && `?${text}`), { replace: true });
  };
  return { isOpen, toggle };
}

/** On wide screens a column to the right of the lists, which come after it. */
const BESIDE =
  'xl:col-[9/-1]! xl:row-[2/4] xl:self-start xl:[&_dl]:grid-cols-1 xl:[&~*]:col-span-8! xl:[&~*]:self-start';

/** The texts and days of the product. `Edit` puts the form in their place. */
function ProductCard({ record }: { record: ProductRecord }) {
  const { isOpen, toggle } = useOpenForm();
  const [isChanged, setChanged] = useState(false);
  const fields = useRef<HTMLDivElement>(null);
  // A form that the address opens does not take the focus.
  const isPressed = useRef(false);
  // A closed form stays in the page, hidden, so that typed text is not lost.
  const [wasOpen, setWasOpen] = useState(isOpen);
  if (isOpen && !wasOpen) setWasOpen(true);
  useEffect(() => {
    if (isOpen && isPressed.current)
      fields.current?.querySelector<HTMLElement>('input:not([type=file])')?.focus();
    isPressed.current = false;
  }, [isOpen]);
  const press = () => {
    isPressed.current = true;
    toggle();
  };
  const may = useMay();
  const facts = <ProductFacts record={record} />;
  // The form, and a page without lists, need the whole width.
  const isNarrow = !isOpen && may(listBatches);
  return (
    <Card
      title={t('Product')}
      className={isNarrow ? BESIDE : ''}
      action={
        <RoleGate to={editProduct}>
          <div className="flex items-center gap-3 md:mr-3">
            {isChanged && !isOpen && <span className="text-sm text-ink-3">{t('Unsaved changes')}</span>}
            <Button size="sm" icon={isOpen ? undefined : Pencil} onClick={press}>
              {isOpen ? t('Close') : t('Edit')}
            </Button>
          </div>
        </RoleGate>
      }
    >
      <CardBody>
        {!isOpen && facts}
        {wasOpen && (
          <RoleGate to={editProduct} otherwise={isOpen && facts}>
            <div ref={fields}>
              <EditForm record={record} isOpen={isOpen} onChanged={setChanged} />
            </div>
          </RoleGate>
        )}
      </CardBody>
    </Card>
  );
}

/** Texts over the whole width, as in the form. */
const LONG: readonly string[] = [...PRODUCT_TEXTS, ...PRODUCT_FACTS]
  .filter((text) => 'rows' in text)
  .map(({ name }) => name);

/** The title of the page has it. */
const TITLE = 'name';

/** Returns the text of a field, each perk on a line; nothing if the field is not set. */
function formatFact(record: ProductRecord, name: EditedName): string | null | undefined {
  if (name === 'perks') return record.perks?.join('\n');
  const value = record[name];
  return value && isProductDay(name) ? formatDay(value) : value;
}

/**
 * The texts and days that are set, in the order of the form, and the names of those that are not. Members who may not
 * change the product see only these (R-TEAM-31).
 */
function ProductFacts({ record }: { record: ProductRecord }) {
  const facts = (Object.entries(formatProductLabels()) as [EditedName, string][])
    .filter(([name]) => name !== TITLE)
    .map(([name, label]) => ({ name, label, value: formatFact(record, name) }));
  const unset = facts.flatMap(({ label, value }) => (value ? [] : [label]));
  return (
    <>
      <dl className="grid content-start gap-x-6 gap-y-3.5 md:grid-cols-2 [&_dt]:text-xs/4 [&_dt]:text-ink-3 [&_dd]:mt-0.5 [&_dd]:text-sm/5.5 [&_dd]:wrap-anywhere [&_dd]:whitespace-pre-line">
        {facts.map(
          ({ name, label, value }) =>
            value && (
              <div key={name} className={LONG.includes(name) ? 'col-span-full max-w-[80ch]' : undefined}>
                <dt>{label}</dt>
                <dd dir="auto">{value}</dd>
              </div>
            ),
        )}
      </dl>
      {unset.length > 0 && (
        <p className="mt-4 text-xs/5 text-ink-3">{t('Not set: {names}', { names: unset.join(', ') })}</p>
      )}
    </>
  );
}

const ICONS: Record<ProductStatus, LucideIcon> = {
  live: CircleCheck,
  paused: CirclePause,
  scheduled: CalendarClock,
  ended: CalendarX,
  archived: Archive,
};

/** The numbers of its codes and how long they last, and what learners can do with the product now. */
function StateCard({ record }: { record: ProductRecord }) {
  const { status, pause_note, held, revoked, left, shared_coupon, name } = record;
  const heading = useFocusKept(status);
  const isRedeemable = status !== 'ended' && status !== 'archived';
  const total = held + revoked + left;
  const tone = isRedeemable ? stockToneOf({ left: shared_coupon ? null : left, total }) : undefined;
  return (
    <section
      className={classes(CARD, 'lg:grid! lg:grid-cols-[minmax(0,1fr)_calc((100%-2.5rem)/3)]')}
      aria-label={t('State')}
    >
      <div className="flex flex-col gap-y-3 px-6 py-5 max-md:px-4.5 max-md:py-4">
        <Figures record={record} tone={tone} />
        {!shared_coupon && total > 0 && (
          <Meter
            label={t('{product}: codes left', { product: name })}
            value={left}
            max={total}
            words={formatNumber(left)}
            {...(tone && { tone })}
          />
        )}
        <div className="flex flex-wrap items-center gap-x-3 gap-y-1 empty:hidden">
          <StockTag tone={tone} />
          {/* How long the codes last (R-FUN-10). */}
          {listForecast(record, { withPace: true }).map((sentence) => (
            <p key={sentence} className="text-sm text-ink-2 first-letter:uppercase">
              {sentence}
            </p>
          ))}
        </div>
      </div>
      <div className="px-6 py-5 max-lg:border-t max-md:px-4.5 max-md:py-4 lg:border-l border-line">
        <h2
          ref={heading}
          tabIndex={-1}
          className="text-base/6 flex items-center gap-2 [&>svg]:text-ink-3 data-[is=live]:[&>svg]:text-accent-graphic data-[is=paused]:[&>svg]:text-warning-text"
          data-is={status}
        >
          <Icon of={ICONS[status]} size={18} />
          {formatStatus(status)}
        </h2>
        <p className="mt-1 text-sm text-ink-2 wrap-anywhere">{explainStatus(record)}</p>
        {status === 'paused' && pause_note !== null && (
          <p dir="auto" className="text-sm mt-2 pl-3 border-l-2 border-line-strong text-ink-2 wrap-anywhere">
            {pause_note}
          </p>
        )}
      </div>
    </section>
  );
}

/** More days are not counted. */
const MANY_DAYS = 365;

/** Three large numbers, and a small one for each other state that a code of the product has. */
function Figures({ record, tone }: { record: ProductRecord; tone: StockTone }) {
  const { days_left, shared_coupon, left } = record;
  const days =
    days_left === null || left === 0 || shared_coupon
      ? null
      : days_left > MANY_DAYS
        ? `> ${MANY_DAYS}`
        : formatNumber(days_left);
  const large = [
    [t('Codes left'), shared_coupon ? t('Shared') : formatNumber(left), true],
    [t('Days left'), days, false],
    [t('Hold a code'), formatNumber(record.held), false],
  ] as const;
  const small = [
    [t('Revoked'), record.revoked],
    [t('Void'), record.void],
    [t('Expired'), record.expired],
  ] as const;
  return (
    <dl className="flex flex-wrap items-end gap-x-8 gap-y-3 tabular-nums lg:gap-x-12 [&_dt]:text-xs/4 [&_dt]:text-ink-3">
      {large.map(
        ([label, value, isLeft]) =>
          value !== null && (
            <div key={label} className="min-w-0">
              <dt>{label}</dt>
              <dd
                className={classes(
                  'pt-0.5 text-2xl font-semibold wrap-anywhere [letter-spacing:var(--tracking-tight)]',
                  leftLook(isLeft ? tone : undefined),
                )}
              >
                {value}
              </dd>
            </div>
          ),
      )}
      {small.map(
        ([label, count]) =>
          count > 0 && (
            <div key={label}>
              <dt>{label}</dt>
              <dd className="pt-0.5 text-md/8 text-ink-2">{formatNumber(count)}</dd>
            </div>
          ),
      )}
    </dl>
  );
}

function formatDone(from: ProductStatus, to: NewStatus['status']): string {
  if (to === 'paused') return t('Product paused');
  if (to === 'archived') return t('Product archived');
  return from === 'archived' ? t('Product brought back') : t('Product resumed');
}

/** What staff do with a product most often. An archived product gets no codes. */
function ProductActions({ record }: { record: ProductRecord }) {
  const { product_id, status, shared_coupon, held, left } = record;
  const needsCode = !shared_coupon || held + left === 0;
  return (
    <div className="flex flex-wrap items-center gap-2 md:flex-none md:pt-0.5 max-md:mt-2">
      {status !== 'archived' && needsCode && (
        <RoleGate to={importCoupons}>
          <Link href={addCodesPath(product_id)} className={buttonClass({ look: 'primary', size: 'sm' })}>
            <Icon of={Plus} size={16} />
            {t('Add codes')}
          </Link>
        </RoleGate>
      )}
      <RoleGate to={setProductStatus}>
        <StatusActions record={record} />
      </RoleGate>
    </div>
  );
}

function StatusActions({ record: { product_id: id, ...record } }: { record: ProductRecord }) {
  const { status } = record;
  const may = useMay();
  const [asking, setAsking] = useState<'paused' | 'archived' | null>(null);
  const isStopped = status === 'paused' || status === 'archived';
  const reload = () => queryClient.refetchQueries({ queryKey: queryOf(getProductRecord, { id }).queryKey });
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
      await reload();
    },
    done: (done) => done,
    changes: ['products'],
  });
  const { run, busy, isDisabled } = action;
  const ask = (next: 'paused' | 'archived') => {
    setAsking(next);
    // The dialog shows how many people hold a code now.
    void reload();
  };
  const canPause = status === 'live' || status === 'scheduled';
  return (
    <>
      {canPause && (
        <Button size="sm" icon={Pause} onClick={() => ask('paused')}>
          {t('Pause')}
        </Button>
      )}
      {isStopped && (
        <Button
          size="sm"
          look={status === 'archived' ? 'primary' : 'outline'}
          className={OFF_BUTTON}
          icon={status === 'paused' ? Play : ArchiveRestore}
          busy={busy && asking === null}
          aria-disabled={isDisabled || undefined}
          onClick={() => void run({ status: 'live', note: null })}
        >
          {status === 'paused' ? t('Resume') : t('Bring back')}
        </Button>
      )}
      <ActionMenu
        label={t('More for {product}', { product: record.name })}
        groups={[
          [
            status !== 'archived' &&
              may(setProductStatus) && {
                label: t('Archive'),
                icon: Archive,
                onChoose: () => ask('archived'),
              },
          ],
        ]}
      />
      {asking && (
        <StatusDialog
          next={asking}
          product={record}
          action={action}
          onCancel={() => setAsking(null)}
          onConfirm={(note) => void run({ status: asking, note })}
        />
      )}
    </>
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
