// The people whom staff select in a list, the bar that takes the place of the list's toolbar meanwhile, and the actions on
// them with their dialogs (R-IMP-30).
import type { BodyOf, CohortName, JobState, ListedUser, PeopleActState, ReplyOf } from '@portal/contract';
import { ADDRESSES_MAX, actOnUsers, countPeople, tellPeople } from '@portal/contract';
import { useQuery } from '@tanstack/react-query';
import { Gift, type LucideIcon, Mail, TriangleAlert, UserMinus, Users } from 'lucide-react';
import { type KeyboardEvent, type ReactNode, useEffect, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import { call } from '../../api.ts';
import { queryClient } from '../../queries.ts';
import { Button } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { focusMain } from '../../ui/dom.ts';
import { Check, Select } from '../../ui/field.tsx';
import { Notice } from '../../ui/notice.tsx';
import { MultiSelect } from '../../ui/picker.tsx';
import type { RowSelection } from '../../ui/table.tsx';
import { isolate } from '../../ui/text.tsx';
import { showToast } from '../../ui/toast-store.ts';
import type { Errors } from '../../ui/use-form.ts';
import { plural, t, tCount, tServed } from '../../words/translate.ts';
import { type ActionOrder, type DialogAction, toastError, useAction } from '../action.tsx';
import { jobQuery } from '../files/follow.ts';
import { Mails } from '../files/result.tsx';
import { useTell } from '../files/upload.tsx';
import { useDialogForm } from '../form.tsx';
import { JobCard, useJob, useJobAddress } from '../jobs.tsx';
import type { ListState, ShownPage } from '../list.tsx';
import { AccessDays, checkDays, type Days, useCohorts } from '../nouns/cohort.tsx';
import { formatChosen, useProductChoices } from '../nouns/product.tsx';
import { useStock } from '../nouns/stock.tsx';
import { RoleGate } from '../role.tsx';
import { today } from '../time.ts';

type UsersActionsProps = Omit<SelectionBarProps, 'children'> & {
  state: Pick<ListState, 'q' | 'filters'>;
  /** The cohort by which the list is filtered. */
  cohort: CohortName | null;
};

export function UsersActions({ selection, page, state: { q, filters }, filter, cohort }: UsersActionsProps) {
  const [asked, setAsked] = useState<'join' | 'give' | 'leave' | null>(null);
  const { follow } = useJobAddress();
  const { count, isAll, emails, end } = selection;
  const close = () => setAsked(null);
  const actions: [typeof asked, LucideIcon, string][] = [
    ['join', Users, t('Add to cohort')],
    ['give', Gift, t('Give products')],
  ];
  if (cohort) actions.push(['leave', UserMinus, t('Remove from cohort')]);
  const props = {
    count,
    isMore: isAll && page.isMore,
    whom: isAll ? { filter: q === '' ? filters : { ...filters, q } } : { emails },
    onStarted: (job: string) => {
      close();
      end();
      follow(job);
    },
    onClose: close,
  };
  return (
    <>
      <SelectionBar selection={selection} page={page} filter={filter}>
        {actions.map(([action, icon, label]) => (
          <Button key={label} size="sm" icon={icon} onClick={() => setAsked(action)}>
            {label}
          </Button>
        ))}
      </SelectionBar>
      {asked === 'join' && <JoinDialog {...props} />}
      {asked === 'give' && <GiveDialog {...props} />}
      {asked === 'leave' && cohort && <UsersLeaveDialog {...props} cohort={cohort} />}
    </>
  );
}

type UsersActionProps = {
  /** The fields of the call that name the people: some, or all whom the filters select. */
  whom: { emails: string[] } | { filter: Record<string, string> };
  count: number;
  /** True if there are more people than `count`. */
  isMore: boolean;
  /** Called with the id of the job, after the server has started the action. */
  onStarted: (job: string) => void;
  onClose: () => void;
};

/**
 * Returns the parts that the actions on the people share. Counts the people, and the members of the team among them;
 * meanwhile, `isCounting` is true. `holding` people hold a code of the cohort `leaving`; null if that number is not known.
 * `staffTick` is a check box: members of the team are left out unless it is ticked (N-215). People leave a cohort with the
 * members of the team.
 */
function usePeople({ whom, count, isMore, onStarted }: UsersActionProps, leaving?: string) {
  const { exact, isCounting } = usePeopleCount({ ...whom, ...(leaving && { cohort_id: leaving }) });
  const [isWithStaff, setWithStaff] = useState(leaving !== undefined);
  const staff = exact?.staff ?? 0;
  const people = isMore && exact ? exact.people : count;
  const order = {
    counted: {
      shown: isWithStaff ? people : Math.max(0, people - staff),
      about: `${isWithStaff}`,
      formatChange: formatMorePeople,
    },
    onDone: ({ job_id }) => onStarted(job_id),
    changes: ['users'],
  } satisfies Partial<ActionOrder<ReplyOf<typeof actOnUsers>, never>>;
  const staffTick = staff > 0 && (
    <Check
      label={tCount(staff, {
        one: 'Also {count} member of the team',
        other: 'Also {count} members of the team',
      })}
      value={isWithStaff}
      onChange={setWithStaff}
    />
  );
  const body = { ...whom, ...(isWithStaff && { staff: true }) };
  return { order, body, isCounting, staffTick, holding: exact?.holding ?? null };
}

/** The most products that the warning about too few codes names. */
const NAMED_SHORT = 5;

/** Warns about each product with fewer codes than people. `of` has the ids of the products; null stands for all products. */
function ShortStock({ of, people }: { of: readonly (string | null)[]; people: number }) {
  const { products } = useStock();
  const short = products
    .filter(
      ({ product_id, left }) =>
        left !== null && left < people && (of.includes(null) || of.includes(product_id)),
    )
    .sort((a, b) => Number(a.left) - Number(b.left));
  const more = short.length - NAMED_SHORT;
  return (
    <div role="status">
      {short.length > 0 && (
        <Notice icon={TriangleAlert} warning>
          {short.slice(0, NAMED_SHORT).map(({ product_id, name, left }) => (
            <span key={product_id} className="block">
              <bdi className="font-medium">{name}</bdi>:{' '}
              <span>
                {t('{people}, {codes}', {
                  people: formatPeople(people),
                  codes: tCount(left ?? 0, { one: '{count} code left', other: '{count} codes left' }),
                })}
              </span>
            </span>
          ))}
          {more > 0 && <span className="block">{t('and {count} more', { count: more })}</span>}
        </Notice>
      )}
    </div>
  );
}

const formatTellHint = () => t('One email to each person who gets a product they did not have.');

function GiveDialog(props: UsersActionProps) {
  const { onClose } = props;
  const { order, body, isCounting, staffTick } = usePeople(props);
  const tell = useTell(formatTellHint());
  const form = useDialogForm({
    ...order,
    start: { product_ids: [] as string[], starts_on: today(), ends_on: '' },
    check: checkGift,
    send: ({ ends_on, ...gift }, expected) =>
      call(actOnUsers, {
        body: { act: 'grant', ...gift, ends_on: ends_on || null, ...body, ...tell.body, expected },
      }),
    failed: t('Failed to give the products'),
  });
  const { count } = form;
  return (
    <ConfirmDialog
      isForm
      action={form}
      title={tCount(count, {
        one: 'Give products to {count} person',
        other: 'Give products to {count} people',
      })}
      words={t('They get the products directly, and keep them when they leave a cohort.')}
      confirm={tCount(count, { one: 'Give to {count} person', other: 'Give to {count} people' })}
      disabled={isCounting || count === 0}
      onCancel={onClose}
    >
      <GiftFields form={form} options={useProductChoices().options} />
      <ShortStock of={form.values.product_ids} people={count} />
      {staffTick}
      {tell.tick}
    </ConfirmDialog>
  );
}

function JoinDialog(props: UsersActionProps) {
  const { onClose } = props;
  const { options, query } = useCohorts();
  const { order, body, isCounting, staffTick } = usePeople(props);
  const tell = useTell(formatTellHint());
  const form = useDialogForm({
    ...order,
    start: { cohort_id: '' },
    check: ({ cohort_id }) => (cohort_id === '' ? { cohort_id: t('Select a cohort') } : {}),
    send: ({ cohort_id }, expected) =>
      call(actOnUsers, { body: { act: 'join', cohort_id, ...body, ...tell.body, expected } }),
    failed: t('Failed to add the people'),
  });
  const { count, values } = form;
  const cohort = query.data?.find(({ cohort_id }) => cohort_id === values.cohort_id);
  const given = cohort?.grants.filter(({ state }) => state === 'live' || state === 'future') ?? [];
  return (
    <ConfirmDialog
      isForm
      action={form}
      title={tCount(count, {
        one: 'Add {count} person to a cohort',
        other: 'Add {count} people to a cohort',
      })}
      words={t('They get what the cohort gives, as long as they are in it.')}
      confirm={formatAddPeople(count)}
      disabled={isCounting || count === 0}
      onCancel={onClose}
    >
      <Select
        {...form.field('cohort_id')}
        label={t('Cohort')}
        required
        prompt={t('Select a cohort')}
        options={options}
      />
      <ShortStock of={given.map(({ product_id }) => product_id)} people={count} />
      {staffTick}
      {tell.tick}
    </ConfirmDialog>
  );
}

/** Removes the people from the cohort by which the list is filtered (N-113). */
function UsersLeaveDialog({ cohort, ...props }: UsersActionProps & { cohort: CohortName }) {
  const { cohort_id } = cohort;
  const { order, body, isCounting, holding } = usePeople(props, cohort_id);
  const action = useAction({
    ...order,
    send: (_, expected) => call(actOnUsers, { body: { act: 'leave', cohort_id, ...body, expected } }),
    failed: t('Failed to remove the people'),
  });
  return <LeaveDialog {...{ action, cohort, holding, isCounting }} onCancel={props.onClose} />;
}

type LeaveDialogProps = {
  action: DialogAction & { count: number };
  cohort: Pick<CohortName, 'name'>;
  /** See `formatWhom`. */
  holding: number | null;
  isCounting: boolean;
  onCancel: () => void;
};

export function LeaveDialog({ cohort, holding, isCounting, ...props }: LeaveDialogProps) {
  const { count } = props.action;
  return (
    <ConfirmDialog
      {...props}
      title={t('Remove {people} from {cohort}?', {
        people: formatPeople(count),
        cohort: isolate(cohort.name),
      })}
      words={formatWhom(count, holding)}
      confirm={tCount(count, { one: 'Remove {count} person', other: 'Remove {count} people' })}
      danger
      disabled={isCounting}
    >
      <p>{t('Products they also have directly or by another cohort stay.')}</p>
    </ConfirmDialog>
  );
}

type GivenProducts = Days & { product_ids: string[] };

export function checkGift({ product_ids, ...days }: GivenProducts): Errors<GivenProducts> {
  const none = product_ids.length === 0 && { product_ids: t('Select at least one product') };
  return { ...none, ...checkDays(days) };
}

type GiftFieldsProps = {
  form: Pick<ReturnType<typeof useDialogForm<GivenProducts, unknown>>, 'field' | 'values'>;
  options: ReturnType<typeof useProductChoices>['options'];
  /** True if no product is needed. */
  isOptional?: boolean;
};

export function GiftFields({ form, options, isOptional = false }: GiftFieldsProps) {
  return (
    <>
      <MultiSelect
        {...form.field('product_ids')}
        label={t('Products')}
        required={!isOptional}
        optional={isOptional}
        prompt={t('Select products')}
        summary={formatChosen}
        canSelectAll
        options={options}
      />
      <AccessDays form={form} />
    </>
  );
}

export function PeopleJob() {
  const { job, dismiss } = useJob(PEOPLE_ACTS);
  if (!job) return null;
  const { rows_done, rows_total } = job;
  return (
    <JobCard
      job={job}
      kind={PEOPLE_ACTS}
      icon={Users}
      title={SAID[job.act].running(rows_total)}
      words={t('{done} of {total} people', { done: rows_done, total: rows_total })}
      onDismiss={dismiss}
    >
      <Told job={job} />
    </JobCard>
  );
}

// Mails go out ten minutes after the action.
const MAILS_POLL_MS = 15_000;

/** The mails to the people of an action, or the button that sends them afterwards (N-215). */
function Told({ job: { id, mails, mails_due_at, untold = 0 } }: { job: PeopleActState }) {
  useQuery({ ...jobQuery(id), refetchInterval: mails?.queued ? MAILS_POLL_MS : false });
  const { run, busy } = useAction({
    send: () => call(tellPeople, { params: { id } }),
    failed: t('Failed to tell the people'),
    onDone: (state) => {
      queryClient.setQueryData(jobQuery(id).queryKey, state);
      focusMain();
    },
    done: t('The emails are queued'),
  });
  const told = mails && <Mails mails={mails} dueAt={mails_due_at} />;
  if (untold === 0) return told;
  return (
    <RoleGate to={tellPeople} otherwise={told}>
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2 text-ink-2">
        <span className="tabular-nums">
          {tCount(untold, {
            one: '{count} person got something new and was not told.',
            other: '{count} people got something new and were not told.',
          })}
        </span>
        <Button size="sm" icon={Mail} busy={busy} onClick={() => void run()}>
          {t('Tell them now')}
        </Button>
      </div>
    </RoleGate>
  );
}

/**
 * Counts the people exactly, and those who hold a code (C-6, R-COHORT-22); nobody if `people` is null. `exact` is undefined
 * until they are counted, and after an error: the dialog then shows the number of the list, which the server checks.
 */
export function usePeopleCount(people: BodyOf<typeof countPeople> | null) {
  const { data, isLoading } = useQuery<ReplyOf<typeof countPeople>>({
    queryKey: [countPeople.path, people],
    queryFn: () => call(countPeople, { body: people ?? {} }),
    enabled: people !== null,
    // Each dialog asks for the current number.
    gcTime: 0,
  });
  return { exact: data, isCounting: isLoading };
}

export const formatPeople = plural('{count} person', '{count} people');

/** Returns how many people lose access, and how many of them hold a code. `holding` is null if that is not known. */
export function formatWhom(count: number, holding: number | null): string {
  const people = formatPeople(count);
  if (holding === null) return t('{people}. They keep seeing the codes they hold.', { people });
  return t('{people}, of whom {holders}. They keep seeing the codes they hold.', {
    people,
    holders: tCount(holding, { one: '{count} holds a code', other: '{count} hold a code' }),
  });
}

/** For the error `count_changed`: there are `now` people, but the dialog had shown `before`. */
export function formatMorePeople(now: number, before: number): string {
  return t('There are {now} people now, not {before}. Please look again.', { now, before });
}

export const formatAddPeople = plural('Add {count} person', 'Add {count} people');

type Act = PeopleActState['act'];

/**
 * `others` had nothing to change; `full` could not join, because they are in 50 cohorts already; `staff` members of the
 * team were left out.
 */
export function formatChanged(action: Act, changed: number, others: number, full = 0, staff = 0): string {
  const { done, rest } = SAID[action];
  const parts = [done(changed)];
  if (others > 0) parts.push(rest(others));
  if (full > 0)
    parts.push(
      tCount(full, {
        one: '{count} is in 50 cohorts already, which is the most',
        other: '{count} are in 50 cohorts already, which is the most',
      }),
    );
  if (staff > 0)
    parts.push(
      tCount(staff, {
        one: '{count} member of the team was left out',
        other: '{count} members of the team were left out',
      }),
    );
  return parts.reduce((said, gone) => t('{done}, {gone}', { done: said, gone }));
}

const formatNoMembers = plural('{count} was no member', '{count} were no members');

const SAID: Record<Act, Record<'running' | 'done' | 'rest', (count: number) => string>> = {
  join: {
    running: plural('Adding {count} person to the cohort', 'Adding {count} people to the cohort'),
    done: plural('{count} person joined', '{count} people joined'),
    rest: plural('{count} was a member before', '{count} were members before'),
  },
  leave: {
    running: plural('Removing {count} person from the cohort', 'Removing {count} people from the cohort'),
    done: plural('{count} person removed', '{count} people removed'),
    rest: formatNoMembers,
  },
  move: {
    running: plural('Moving {count} person', 'Moving {count} people'),
    done: plural('{count} person moved', '{count} people moved'),
    rest: formatNoMembers,
  },
  grant: {
    running: plural('Giving products to {count} person', 'Giving products to {count} people'),
    done: plural('{count} person got the products', '{count} people got the products'),
    rest: plural('{count} had them before', '{count} had them before'),
  },
};

const PEOPLE_ACTS = {
  pick: (state: JobState): PeopleActState | undefined => (state.kind === 'act' ? state : undefined),
  formatOutcome: ({ act, results }: PeopleActState) => {
    const { changed, total, full, staff } = results ?? { changed: 0, total: 0, full: 0, staff: 0 };
    return formatChanged(act, changed, total - changed - full, full, staff);
  },
  formatStopped: ({ rows_done: done, rows_total: total, reason }: PeopleActState) => {
    const extent = t('Stopped after {done} of {total} people.', { done, total });
    return reason ? `${extent} ${tServed(reason)}` : extent;
  },
  changes: 'users',
} as const;

type SelectionBarProps = {
  selection: PeopleSelection;
  page: Pick<ShownPage<unknown>, 'total' | 'isMore'>;
  /** The filters of the list in words, because the bar covers them. */
  filter?: string;
  /** The buttons of the actions. */
  children: ReactNode;
};

export function SelectionBar({ selection, page, filter, children }: SelectionBarProps) {
  const { count, isAll, selectAll, clear } = selection;
  return (
    <section
      className="text-sm/8 flex flex-wrap items-center gap-x-3 gap-y-2 min-h-15 py-3.5 px-6 max-md:sticky max-md:z-2 max-md:top-0 max-md:px-4.5 max-md:border-b max-md:border-line max-md:bg-raised"
      aria-label={t('Selected people')}
    >
      <span className="font-medium tabular-nums" role="status">
        {tCount(count, { one: '{count} selected', other: '{count} selected' })}
      </span>
      {!isAll && (page.isMore || page.total > count) && (
        <>
          <span className="w-px h-5 bg-line-strong max-md:hidden" aria-hidden="true" />
          <button
            type="button"
            className="min-h-6 rounded-[2px] leading-6 text-accent-text underline underline-offset-[0.2em] cursor-pointer"
            onClick={selectAll}
          >
            {page.isMore
              ? t('Select all, more than {count}', { count: page.total })
              : t('Select all {count}', { count: page.total })}
          </button>
        </>
      )}
      {filter && (
        <span className="min-w-0 wrap-anywhere leading-5 text-ink-3 max-md:basis-full max-md:-mt-2">
          {t('Filter: {words}', { words: filter })}
        </span>
      )}
      <div className="flex flex-wrap gap-2 ml-auto max-md:w-full max-md:ml-0 max-md:[&>button]:flex-1">
        {children}
        <Button size="sm" look="ghost" onClick={clear}>
          {t('Clear')}
        </Button>
      </div>
    </section>
  );
}

/** `list` is the search and the filters of the list. The selection ends when they change. */
type Chosen = { list: string; isAll: boolean; emails: readonly string[] };

export type PeopleSelection = ReturnType<typeof useSelection>;

/**
 * Returns the selected people of a list. With `isAll`, these are all people of the list, also on other pages; `emails` is
 * empty then. `clear` ends the selection and focuses the check box that was pressed last; `end` leaves the focus.
 */
export function useSelection(list: string, page: ShownPage<ListedUser>) {
  const none: Chosen = { list, isAll: false, emails: [] };
  const [last, setChosen] = useState(none);
  const lastBox = useRef<HTMLInputElement>(null);
  const chosen = last.list === list ? last : none;
  const isLost = last.list !== list && (last.isAll || last.emails.length > 0);
  useEffect(() => {
    if (!isLost) return;
    setChosen({ list, isAll: false, emails: [] });
    showToast({ title: t('Selection cleared'), description: t('The list shows other people now.') });
  }, [isLost, list]);

  const onSelect = (rows: readonly ListedUser[], isSelected: boolean, box: HTMLInputElement) => {
    lastBox.current = box;
    // If one person is deselected from 'all', the other people of this page stay selected.
    const before = chosen.isAll ? emailsOf(page.rows) : chosen.emails;
    const ticked = emailsOf(rows);
    const rest = before.filter((email) => !ticked.includes(email));
    const emails = isSelected ? [...rest, ...ticked] : rest;
    if (emails.length > ADDRESSES_MAX) {
      toastError(t('Select at most {count} people, or all of them.', { count: ADDRESSES_MAX }));
    } else setChosen({ list, isAll: false, emails });
  };
  const end = () => setChosen(none);
  const clear = () => {
    // Renders synchronously: the pressed button is removed before the check box gets the focus.
    flushSync(end);
    if (lastBox.current?.isConnected) lastBox.current.focus();
    else focusMain();
  };
  const count = chosen.isAll ? page.total : chosen.emails.length;
  return {
    count,
    isAll: chosen.isAll,
    emails: [...chosen.emails],
    rows: {
      formatLabel: ({ name, email }) => t('Select {name}', { name: name?.trim() || email }),
      isSelected: ({ email }) => chosen.isAll || chosen.emails.includes(email),
      onSelect,
    } satisfies RowSelection<ListedUser>,
    selectAll: () => setChosen({ list, isAll: true, emails: [] }),
    clear,
    end,
    /** Escape ends the selection. */
    onKeyDown: ({ key, target }: KeyboardEvent) => {
      // A dialog that was opened from the list closes on Escape; the selection stays.
      const isInDialog = target instanceof Element && target.closest('dialog') !== null;
      if (key === 'Escape' && count > 0 && !isInDialog) clear();
    },
  };
}

function emailsOf(rows: readonly ListedUser[]): string[] {
  return rows.map(({ email }) => email);
}
