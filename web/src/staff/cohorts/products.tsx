// The products that a cohort gives, with their days (R-COHORT-22).
import type { CohortRecord } from '@portal/contract';
import {
  createGrants,
  editGrant,
  getCohort,
  importCoupons,
  setCohortDates,
  withdrawGrant,
} from '@portal/contract';
import { CalendarDays, Package, Plus, Trash2, TriangleAlert } from 'lucide-react';
import { useState } from 'react';
import { call } from '../../api.ts';
import { fetchNow } from '../../queries.ts';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { classes } from '../../ui/dom.ts';
import { Icon } from '../../ui/icon.tsx';
import { ActionMenu } from '../../ui/menu.tsx';
import { Notice } from '../../ui/notice.tsx';
import { Meter } from '../../ui/progress.tsx';
import { type Column, DataTable, NoRows } from '../../ui/table.tsx';
import { StateMark, Tag } from '../../ui/tag.tsx';
import { isolate } from '../../ui/text.tsx';
import { t, tCount } from '../../words/translate.ts';
import { checkReason, ReasonDialog, useDialogForm } from '../form.tsx';
import { column } from '../list.tsx';
import {
  AccessDays,
  checkDays,
  type Days,
  daysOf,
  endsEarlier,
  formatAccess,
  haveSameDays,
} from '../nouns/cohort.tsx';
import { AddCodesLink, ProductLink, ProductMark, useProductChoices } from '../nouns/product.tsx';
import { checkGift, formatMorePeople, formatWhom, GiftFields } from '../people/actions.tsx';
import { RoleGate, useMay } from '../role.tsx';
import { today } from '../time.ts';

/** Id of the card: a shortage beside the title of the page leads to it. */
export const PRODUCTS_ID = 'cohort-products';

/** Beside the members, each product has its name, state and menu in one row, then its days if any, then its codes. */
const STACKED =
  'xl:block xl:[&_tbody]:block xl:[&_thead]:sr-only xl:[&_tbody_tr]:grid xl:[&_tbody_tr]:grid-cols-[minmax(0,1fr)_auto_auto] xl:[&_tbody_tr]:items-center xl:[&_tbody_tr]:gap-x-3 xl:[&_tbody_tr]:border-t xl:[&_tbody_tr]:border-line xl:[&_tbody_tr]:px-6 xl:[&_tbody_tr]:py-3 xl:[&_tbody_:is(th,td)]:h-auto! xl:[&_tbody_:is(th,td)]:border-0! xl:[&_tbody_:is(th,td)]:p-0!';
/**
 * The places of state, menu and codes, counted from the last cell. The days, if any, are in the row between. On phones, the
 * cell of the menu must not clip it.
 */
const STACKED_WITH_MENU =
  'max-md:[&_td:last-child]:overflow-visible! xl:[&_td:last-child]:[grid-area:1/3] xl:[&_td:nth-last-child(2)]:[grid-area:3/1/auto/-1] xl:[&_td:nth-last-child(3)]:[grid-area:1/2] xl:[&_td:nth-last-child(4)]:[grid-area:2/1/auto/-1]';
const STACKED_WITHOUT =
  'xl:[&_td:last-child]:[grid-area:3/1/auto/-1] xl:[&_td:nth-last-child(2)]:[grid-area:1/2/auto/-1] xl:[&_td:nth-last-child(3)]:[grid-area:2/1/auto/-1]';

type Asked = { action: 'dates' | 'remove'; grant: CohortGrant } | { action: 'all-dates' | 'add' };

export function ProductsCard({ cohort }: { cohort: CohortRecord }) {
  const [asked, setAsked] = useState<Asked | null>(null);
  const { grants, archived } = cohort;
  const mayEdit = useMay()(setCohortDates) && !archived;
  const canDate = grants.some(isDatable);
  const props = { cohort, onClose: () => setAsked(null) };
  return (
    <div id={PRODUCTS_ID} tabIndex={-1} className="scroll-mt-20 rounded-lg xl:col-span-4">
      <Card
        title={t('Products')}
        action={
          mayEdit && (
            <div className="md:mr-3">
              <Button size="sm" icon={Plus} onClick={() => setAsked({ action: 'add' })}>
                {t('Add products')}
              </Button>
            </div>
          )
        }
      >
        {grants.length > 0 && (haveSameDays(grants) || (mayEdit && canDate)) && (
          <div className="flex flex-wrap items-center justify-between gap-x-3 pt-1.5 pr-3 pb-2 pl-6 text-sm text-ink-3 max-md:pr-1.5 max-md:pl-4.5">
            <span>
              {haveSameDays(grants) && t('Access: {days}', { days: formatAccess(grants, today()) })}
            </span>
            {mayEdit && canDate && (
              <Button
                size="sm"
                look="ghost"
                icon={CalendarDays}
                className="-ml-3"
                onClick={() => setAsked({ action: 'all-dates' })}
              >
                {t('Change all dates')}
              </Button>
            )}
          </div>
        )}
        {grants.length > 0 ? (
          <DataTable
            isTight
            className={classes(STACKED, mayEdit ? STACKED_WITH_MENU : STACKED_WITHOUT)}
            caption={t('Products')}
            columns={[...listColumns(cohort), ...(mayEdit ? [actionsColumn(setAsked)] : [])]}
            rows={grants}
            keyOf={({ id }) => id}
          />
        ) : (
          <NoRows icon={Package}>{t('This cohort gives no product yet.')}</NoRows>
        )}
      </Card>
      {asked?.action === 'dates' && <GrantDatesDialog {...props} grant={asked.grant} />}
      {asked?.action === 'remove' && <RemoveGrantDialog {...props} grant={asked.grant} />}
      {asked?.action === 'all-dates' && <AllDatesDialog {...props} />}
      {asked?.action === 'add' && <AddProductsDialog {...props} />}
    </div>
  );
}

function listColumns(cohort: CohortRecord): Column<CohortGrant>[] {
  return [
    column(t('Product'), nameOf, {
      as: 'strong',
      max: 40,
      draw: ({ product_id }, { text }) =>
        product_id === null ? (
          text
        ) : (
          <ProductMark id={product_id}>
            <ProductLink to={product_id}>{text}</ProductLink>
          </ProductMark>
        ),
    }),
    // Else the card says the days once, below its title.
    ...(haveSameDays(cohort.grants) ? [] : [accessColumn()]),
    column(t('State'), ({ state }) => formatState(state), {
      as: 'end',
      draw: ({ state }, { text }) => (
        <StateMark look={state === 'live' ? 'accent' : 'ring'}>{text}</StateMark>
      ),
    }),
    column(t('Claimed'), (grant) => formatClaimed(cohort, grant), {
      wraps: true,
      draw: (grant, { text }) =>
        grant.product_id === null ? '-' : <Claimed grant={grant} members={cohort.members} words={text} />,
      awayOnPhones: ({ product_id }) => product_id === null,
    }),
  ];
}

function accessColumn(): Column<CohortGrant> {
  return column(t('Access'), (grant) => formatAccess([grant], today()));
}

function formatClaimed({ members }: CohortRecord, { product_id, holding }: CohortGrant): string {
  return product_id === null ? '-' : t('claimed {a} of {n}', { a: holding, n: members });
}

type ClaimedProps = { grant: CohortGrant; members: number; words: string };

/** The members who hold a code, and how many codes are missing for the others (R-DAY-37, N-216). */
function Claimed({ grant, members, words }: ClaimedProps) {
  const short = countShort(grant, members);
  return (
    <span className="flex flex-wrap items-center gap-x-3 gap-y-1 tabular-nums xl:pl-8 max-md:pl-8">
      <span className="flex flex-[1_1_100%] items-center gap-x-3 md:max-xl:flex-none">
        <span className="whitespace-nowrap">{words}</span>
        <span className="min-w-16 grow md:max-xl:w-24">
          <Meter
            label={t('{product}: codes claimed', { product: nameOf(grant) })}
            value={grant.holding}
            max={members}
            words={words}
          />
        </span>
      </span>
      {short > 0 && (
        <span className="flex flex-wrap items-center gap-x-2 gap-y-1">
          <Tag tone="warning">
            <Icon of={TriangleAlert} size={13} strong />
            {t('short by {k}', { k: short })}
          </Tag>
          {grant.product_id !== null && (
            <RoleGate to={importCoupons}>
              <AddCodesLink product={grant.product_id} />
            </RoleGate>
          )}
        </span>
      )}
    </span>
  );
}

/**
 * Returns how many codes are missing, so that each of the members can get one. 0 for a shared code, and for a grant by
 * which nobody gets a code any more.
 */
export function countShort({ state, holding, free }: CohortGrant, members: number): number {
  if (free === null || (state !== 'live' && state !== 'future')) return 0;
  return Math.max(0, members - holding - free);
}

function actionsColumn(ask: (asked: Asked) => void): Column<CohortGrant> {
  return column(t('Actions'), () => '', {
    as: 'end',
    labelHidden: true,
    right: true,
    draw: (grant) => (
      <span className="inline-flex">
        <ActionMenu
          label={t('More for {product}', { product: nameOf(grant) })}
          groups={[
            [
              {
                label: t('Change dates'),
                icon: CalendarDays,
                onChoose: () => ask({ action: 'dates', grant }),
              },
            ],
            [
              {
                label: t('Remove'),
                icon: Trash2,
                danger: true,
                onChoose: () => ask({ action: 'remove', grant }),
              },
            ],
          ]}
        />
      </span>
    ),
  });
}

function formatState(state: CohortGrant['state']): string {
  if (state === 'live') return t('Live');
  if (state === 'future') return t('Scheduled');
  return state === 'over' ? t('Ended') : t('Archived');
}

type DialogProps = { cohort: CohortRecord; onClose: () => void };
type GrantDialogProps = DialogProps & { grant: CohortGrant };

function AddProductsDialog({ cohort, onClose }: DialogProps) {
  const { cohort_id } = cohort;
  const given = cohort.grants.filter(isDatable);
  const { options } = useProductChoices();
  // A further product usually has the same days as the others.
  const days = given.length > 0 ? findUsualDays(given) : { starts_on: today(), ends_on: '' };
  const form = useDialogForm({
    start: { product_ids: [] as string[], ...days },
    check: checkGift,
    send: ({ ends_on, ...gift }) =>
      call(createGrants, { body: { cohort_id, ...gift, ends_on: ends_on || null } }),
    failed: t('Failed to add the products'),
    onDone: onClose,
    done: ({ grants }) =>
      tCount(grants.length, {
        one: 'The cohort gives {count} more product',
        other: 'The cohort gives {count} more products',
      }),
    changes: ['users'],
  });
  return (
    <ConfirmDialog
      isForm
      action={form}
      title={t('Add products')}
      words={t('Everybody in the cohort gets them, and whoever joins later.')}
      confirm={t('Add products')}
      onCancel={onClose}
    >
      <GiftFields
        form={form}
        options={options.filter(({ value }) => given.every(({ product_id }) => product_id !== value))}
      />
    </ConfirmDialog>
  );
}

/** Sets the days of all products that are not over (R-COHORT-12, N-96). */
function AllDatesDialog({ cohort, onClose }: DialogProps) {
  const { cohort_id: id, members, holding } = cohort;
  const form = useDialogForm({
    start: usualDaysOf(cohort),
    check: checkDays,
    send: ({ starts_on, ends_on, grants }, expected) => {
      const was = grants.map((grant) => ({ id: grant.id, ...grant.was }));
      return call(setCohortDates, {
        params: { id },
        body: { starts_on, ends_on: ends_on || null, expected, was },
      });
    },
    counted: { shown: members, formatChange: formatMorePeople },
    failed: t('Failed to change the dates'),
    loadNewer: async () => usualDaysOf(await fetchNow(getCohort, { id })),
    onDone: onClose,
    done: ({ changed }) =>
      tCount(changed, {
        one: 'Dates of {count} product changed',
        other: 'Dates of {count} products changed',
      }),
    changes: ['users'],
  });
  const { grants, ends_on } = form.values;
  const given = tCount(grants.length, {
    one: '{count} product gets these dates.',
    other: '{count} products get these dates.',
  });
  const earlier = grants.filter(({ was }) => endsEarlier(was, { ends_on })).length;
  return (
    <ConfirmDialog
      action={form}
      title={t('Change all dates')}
      words={`${given} ${formatWhom(form.count, holding)}`}
      confirm={tCount(grants.length, {
        one: 'Change dates of {count} product',
        other: 'Change dates of {count} products',
      })}
      onCancel={onClose}
    >
      <AccessDays form={form} />
      <div role="status">
        {earlier > 0 && (
          <Notice icon={TriangleAlert} warning>
            {tCount(earlier, {
              one: '{count} product ends earlier than now.',
              other: '{count} products end earlier than now.',
            })}
          </Notice>
        )}
      </div>
    </ConfirmDialog>
  );
}

function GrantDatesDialog({ cohort, grant, onClose }: GrantDialogProps) {
  const form = useDialogForm({
    start: { ...daysOf(grant), reason: '' },
    check: (values) => ({ ...checkDays(values), ...checkReason(values, !endsEarlier(values.was, values)) }),
    send: ({ starts_on, ends_on, reason, was }, expected) => {
      const body = { starts_on, ends_on: ends_on || null, reason: reason || null, expected, was };
      return call(editGrant, { params: { id: grant.id }, body });
    },
    counted: { shown: cohort.members, formatChange: formatMorePeople },
    failed: t('Failed to change the dates'),
    loadNewer: async ({ reason }) => {
      const { grants } = await fetchNow(getCohort, { id: cohort.cohort_id });
      const newer = grants.find(({ id }) => id === grant.id);
      return newer && { ...daysOf(newer), reason };
    },
    onDone: onClose,
    done: t('Dates changed'),
    changes: ['users'],
  });
  const isEarlier = endsEarlier(form.values.was, form.values);
  return (
    <ReasonDialog
      form={form}
      title={t('Change dates of {product}', { product: isolate(nameOf(grant)) })}
      words={formatWhom(form.count, grant.holding)}
      isReasonOptional={!isEarlier}
      example={t('Course was extended')}
      confirm={t('Save Dates')}
      onCancel={onClose}
    >
      <AccessDays form={form} />
    </ReasonDialog>
  );
}

function usualDaysOf(cohort: CohortRecord) {
  const grants = cohort.grants.filter(isDatable);
  return { ...findUsualDays(grants), grants: grants.map((grant) => ({ id: grant.id, ...daysOf(grant) })) };
}

function RemoveGrantDialog({ cohort, grant, onClose }: GrantDialogProps) {
  const product = isolate(nameOf(grant));
  const form = useDialogForm({
    start: { reason: '' },
    check: (values) => checkReason(values),
    send: ({ reason }, expected) =>
      call(withdrawGrant, { params: { id: grant.id }, body: { reason, revoke_code: false, expected } }),
    counted: { shown: cohort.members, formatChange: formatMorePeople },
    failed: t('Failed to remove the product'),
    onDone: onClose,
    done: t('{product} removed', { product }),
    changes: ['users'],
  });
  return (
    <ReasonDialog
      form={form}
      title={t('Remove {product} from {cohort}?', { product, cohort: isolate(cohort.name) })}
      words={formatWhom(form.count, grant.holding)}
      example={t('Partner ended the offer')}
      confirm={t('Remove product')}
      danger
      onCancel={onClose}
    />
  );
}

export type CohortGrant = CohortRecord['grants'][number];

function nameOf({ product_name }: CohortGrant): string {
  return product_name ?? t('All products');
}

/** True if 'Change all dates' changes the grant (N-96). */
function isDatable({ state }: CohortGrant): boolean {
  return state === 'live' || state === 'future';
}

/**
 * Returns the days that most of the grants have. Grants that are over do not count. Without grants, the days are '',
 * which is no day.
 */
export function findUsualDays(grants: readonly CohortGrant[]): Days {
  const counts = new Map<string, number>();
  for (const { starts_on, ends_on } of grants.filter(isDatable)) {
    const days = `${starts_on} ${ends_on ?? ''}`;
    counts.set(days, (counts.get(days) ?? 0) + 1);
  }
  const [usual = ' '] = [...counts.keys()].sort((a, b) => (counts.get(b) ?? 0) - (counts.get(a) ?? 0));
  const [starts_on = '', ends_on = ''] = usual.split(' ');
  return { starts_on, ends_on };
}
