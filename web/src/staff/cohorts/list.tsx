// The pages about cohorts: the list with a form that adds one, and one cohort (R-COHORT-11, R-COHORT-20, R-COHORT-21).
import {
  COHORT_MAX,
  type Cohort,
  type CohortProgress,
  createCohort,
  listCohortProgress,
  listUsers,
  newCohort,
} from '@portal/contract';
import { useQuery } from '@tanstack/react-query';
import { TriangleAlert, Users } from 'lucide-react';
import { useMemo } from 'react';
import { useLocation } from 'wouter';
import { call } from '../../api.ts';
import { CardBody } from '../../ui/card.tsx';
import { classes } from '../../ui/dom.ts';
import { DateField, TextField } from '../../ui/field.tsx';
import { Icon } from '../../ui/icon.tsx';
import { MultiSelect } from '../../ui/picker.tsx';
import { Meter } from '../../ui/progress.tsx';
import type { Column } from '../../ui/table.tsx';
import { Tag } from '../../ui/tag.tsx';
import { formatNumber } from '../../words/format.ts';
import { t } from '../../words/translate.ts';
import { AddCard, AddCards } from '../add-cards.tsx';
import { StaffForm, useStaffForm } from '../form.tsx';
import { AdminFrame } from '../frame.tsx';
import { column, ListCard, RowLink, sliceList, useArchivable } from '../list.tsx';
import {
  CohortStateMark,
  cohortPath,
  findState,
  formatAccess,
  formatCohortState,
  useArchivedCohorts,
  useCohorts,
} from '../nouns/cohort.tsx';
import { formatChosen, useProductChoices } from '../nouns/product.tsx';
import { useMay } from '../role.tsx';
import { today } from '../time.ts';

export function CohortsPage() {
  const [, navigate] = useLocation();
  const { data: cohorts } = useCohorts().query;
  return (
    <AdminFrame title={t('Users')} tabTitle={t('Cohorts')}>
      <AddCards isEmpty={cohorts?.length === 0} adding={['add']}>
        <AddCard name="add" title={t('Add New Cohort')} to={createCohort}>
          <CardBody>
            <CohortForm onSaved={(id) => navigate(cohortPath(id))} />
          </CardBody>
        </AddCard>
      </AddCards>
      <CohortsTable />
    </AdminFrame>
  );
}

/** `isLinked` is false if the role may not see the page of a cohort. `progress` has the codes by the cohort's id. */
function listColumns(isLinked: boolean, progress: Progress): Column<Cohort>[] {
  return [
    column(t('Name'), ({ name }) => name, {
      as: 'strong',
      max: 40,
      draw: ({ cohort_id }, words) =>
        isLinked ? <RowLink href={cohortPath(cohort_id)} words={words} /> : <bdi>{words.text}</bdi>,
    }),
    column(t('State'), (cohort) => formatCohortState(findState(cohort)), {
      as: 'end',
      draw: (cohort) => <CohortStateMark state={findState(cohort)} />,
    }),
    column(t('Members'), ({ members }) => formatNumber(members), { right: true, labelOnPhones: true }),
    column(t('Products'), ({ grants }) => formatNumber(grants.length), {
      right: true,
      labelOnPhones: true,
      awayOnTablets: true,
    }),
    column(t('Codes claimed'), (cohort) => formatClaimed(findDue(cohort, progress)), {
      wraps: true,
      labelOnPhones: true,
      draw: (cohort, { text }) => (
        <Claimed
          name={cohort.name}
          of={findDue(cohort, progress)}
          words={text}
          isLoading={progress === undefined}
        />
      ),
      awayOnPhones: (cohort) => findDue(cohort, progress) === null,
    }),
    column(t('Access'), ({ grants }) => formatAccess(grants, today())),
  ];
}

/** Undefined until the codes are loaded. A cohort that gives no product is not in it. */
type Progress = ReadonlyMap<string, CohortProgress> | undefined;

/** Null if nobody gets a code of the cohort. Until the codes are loaded, no code is claimed. */
function findDue({ cohort_id, members, grants }: Cohort, progress: Progress): CohortProgress | null {
  if (progress !== undefined) {
    const of = progress.get(cohort_id);
    return of && of.due > 0 ? of : null;
  }
  const products = new Set(grants.flatMap(({ product_id }) => product_id ?? []));
  const due = members * products.size;
  return due > 0 ? { cohort_id, due, claimed: 0, short: 0 } : null;
}

function formatClaimed(of: CohortProgress | null): string {
  return of === null ? '-' : t('{a} of {n}', { a: of.claimed, n: of.due });
}

type ClaimedProps = { name: string; of: CohortProgress | null; words: string; isLoading: boolean };

/**
 * The codes that the members hold, and how many are missing for all to get one of each product (R-DAY-37). Has the same
 * size while the codes are loading.
 */
function Claimed({ name, of, words, isLoading }: ClaimedProps) {
  if (of === null) return words;
  const { claimed, due, short } = of;
  return (
    <span
      className={classes(
        'flex flex-wrap items-center gap-x-3 gap-y-1 tabular-nums md:max-lg:min-w-44 lg:min-w-84 max-md:inline-flex',
        isLoading && 'invisible',
      )}
    >
      <span className="whitespace-nowrap lg:min-w-20">{words}</span>
      <span className="w-20 max-md:hidden lg:w-28 xl:w-44">
        <Meter
          label={t('{cohort}: codes claimed', { cohort: name })}
          value={claimed}
          max={due}
          words={words}
        />
      </span>
      {short > 0 && (
        <Tag tone="warning">
          <Icon of={TriangleAlert} size={13} strong />
          {t('short by {k}', { k: short })}
        </Tag>
      )}
    </span>
  );
}

/** Loads the codes of the cohorts on the page of the list. The rows are shown meanwhile, and after an error. */
function useProgress(cohorts: readonly Cohort[]): Progress {
  const ids = cohorts.map(({ cohort_id }) => cohort_id).join(',');
  const { data, isError } = useQuery<CohortProgress[]>({
    queryKey: [`${listCohortProgress.path}?cohort_ids=${ids}`],
    enabled: ids !== '',
  });
  const loaded = useMemo(() => data && new Map(data.map((each) => [each.cohort_id, each])), [data]);
  return isError ? NOTHING : loaded;
}

const NOTHING: Progress = new Map();

/** The server returns the whole list at once, so the browser does the search and the paging. */
function CohortsTable() {
  const may = useMay();
  const current = useCohorts().query;
  const archived = useArchivedCohorts();
  const { list, query, isArchived, choice } = useArchivable(current, archived);
  const page = sliceList(filterByName(query.data ?? [], list.state.q), list);
  const progress = useProgress(page.rows);
  const hasNone = current.data?.length === 0 && archived.data?.length === 0;
  return (
    <ListCard
      title={t('Existing Cohorts')}
      of={['users']}
      words={{
        ...(!hasNone && { search: t('Search cohorts'), searchHint: t('Search by name') }),
        loading: t('Loading cohorts...'),
        notLoaded: t('We could not load the cohorts.'),
        empty: isArchived
          ? t('No cohort is archived.')
          : may(createCohort)
            ? t('No cohorts found. Create your first cohort above.')
            : t('No cohorts found.'),
        noMatch: t('No cohorts match.'),
        emptyPage: t('There are no cohorts on this page.'),
        showAll: t('Show all cohorts'),
      }}
      {...{ list, query, page }}
      icon={Users}
      filters={!hasNone && choice}
      table={{
        // The days begin further right, so that they do not read as a part of the number before them.
        className: 'md:[&_:is(th,td):nth-child(5)]:pl-8!',
        caption: t('Cohorts'),
        columns: listColumns(may(listUsers), progress),
        keyOf: ({ cohort_id }) => cohort_id,
      }}
    />
  );
}

/** Returns the cohorts whose name has the text `q` anywhere, in upper or lower case. */
function filterByName(cohorts: Cohort[], q: string): Cohort[] {
  const sought = q.toLocaleLowerCase();
  return sought === '' ? cohorts : cohorts.filter(({ name }) => name.toLocaleLowerCase().includes(sought));
}

/** `onSaved` gets the id of the new cohort. */
function CohortForm({ onSaved }: { onSaved: (key: string) => void }) {
  const { options } = useProductChoices();
  const form = useStaffForm({
    start: { name: '', note: '', product_ids: [] as string[], starts_on: today(), ends_on: '' },
    required: () => ({ name: t('Enter a name') }),
    schema: newCohort,
    send: (body) => call(createCohort, { body }),
    failed: t('Failed to create cohort'),
    refusedAt: { duplicate_name: 'name' },
    formatInvalid: {
      starts_on: t('Enter a complete day'),
      ends_on: t('Enter a complete day, not before the first'),
    },
    onDone: ({ cohort_id }) => onSaved(cohort_id),
    done: t('Cohort created'),
    changes: ['users'],
  });
  const { field } = form;
  return (
    <StaffForm form={form} save={t('Create Cohort')}>
      <div className="grid content-start gap-4 md:grid-cols-[repeat(2,minmax(0,1fr))] lg:grid-cols-[minmax(0,1.4fr)_minmax(0,1.4fr)_minmax(0,1fr)_minmax(0,1fr)]">
        <TextField
          {...field('name')}
          label={t('Name')}
          required
          autoComplete="off"
          placeholder={t('Spring 2026')}
          maxLength={COHORT_MAX.name}
        />
        <MultiSelect
          {...field('product_ids')}
          id="cohort-products"
          label={t('Products')}
          prompt={t('Select products')}
          summary={formatChosen}
          canSelectAll
          options={options}
        />
        <DateField {...field('starts_on')} label={t('Access from')} max={form.values.ends_on} />
        <DateField
          {...field('ends_on')}
          label={t('Access until')}
          hint={t('Last day. Empty: no end.')}
          min={form.values.starts_on}
        />
      </div>
    </StaffForm>
  );
}
