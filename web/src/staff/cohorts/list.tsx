// The pages about cohorts: the list with a form that adds one, and one cohort (R-COHORT-11, R-COHORT-20, R-COHORT-21).
import { COHORT_MAX, type Cohort, createCohort, listUsers, newCohort } from '@portal/contract';
import { Users } from 'lucide-react';
import { call } from '../../api.ts';
import { Card, CardBody } from '../../ui/card.tsx';
import { DateField, TextField } from '../../ui/field.tsx';
import { MultiSelect } from '../../ui/picker.tsx';
import type { Column } from '../../ui/table.tsx';
import { sayNumber, today } from '../../words/format.ts';
import { say } from '../../words/say.ts';
import { StaffForm, useStaffForm } from '../form.tsx';
import { AdminFrame, listUserTabs } from '../frame.tsx';
import { column, ListCard, RowLink, sliceList, useArchivable, useNewRow } from '../list.tsx';
import { cohortPath, sayAccess, useArchivedCohorts, useCohorts } from '../nouns/cohort.tsx';
import { sayChosen, useProductChoices } from '../nouns/product.tsx';
import { RoleGate, useMay } from '../role.tsx';

export function CohortsPage() {
  const { newRow, onSaved } = useNewRow();
  return (
    <AdminFrame title={say('Users')} tabTitle={say('Cohorts')} subTabs={listUserTabs(useMay())}>
      <RoleGate to={createCohort}>
        <Card title={say('Add New Cohort')}>
          <CardBody>
            <CohortForm onSaved={onSaved} />
          </CardBody>
        </Card>
      </RoleGate>
      <CohortsTable newRow={newRow} />
    </AdminFrame>
  );
}

/** `isLinked` is false for those who may not see the page of a cohort. */
function listColumns(isLinked: boolean): Column<Cohort>[] {
  return [
    column(say('Name'), ({ name }) => name, {
      as: 'strong',
      max: 40,
      draw: ({ cohort_id }, words) =>
        isLinked ? <RowLink href={cohortPath(cohort_id)} words={words} /> : <bdi>{words.text}</bdi>,
    }),
    column(say('Members'), ({ members }) => sayNumber(members), {
      as: 'end',
      right: true,
      labelOnPhones: true,
    }),
    column(say('Products'), ({ grants }) => sayNumber(grants.length), { right: true, labelOnPhones: true }),
    column(say('Access'), ({ grants }) => sayAccess(grants, today())),
  ];
}

/** The server returns the whole list at once, so the browser does the paging. */
function CohortsTable({ newRow }: { newRow: string | undefined }) {
  const may = useMay();
  const current = useCohorts().query;
  const archived = useArchivedCohorts();
  const { list, query, isArchived, choice } = useArchivable(current, archived);
  const page = sliceList(query.data ?? [], list);
  const hasNone = current.data?.length === 0 && archived.data?.length === 0;
  return (
    <ListCard
      title={say('Existing Cohorts')}
      of={['users']}
      words={{
        loading: say('Loading cohorts...'),
        notLoaded: say('We could not load the cohorts.'),
        empty: isArchived
          ? say('No cohort is archived.')
          : may(createCohort)
            ? say('No cohorts found. Create your first cohort above.')
            : say('No cohorts found.'),
        emptyPage: say('There are no cohorts on this page.'),
        showAll: say('Show all cohorts'),
      }}
      list={list}
      query={query}
      page={page}
      icon={Users}
      filters={!hasNone && choice}
      table={{
        // The days begin further right, so that they do not read as a part of the number before them.
        className: 'md:[&_:is(th,_td):last-child]:pl-10! max-md:[&_td:nth-child(n+3)]:text-left!',
        caption: say('Cohorts'),
        columns: listColumns(may(listUsers)),
        keyOf: ({ cohort_id }) => cohort_id,
        marked: newRow,
      }}
    />
  );
}

/** `onSaved` gets the id of the cohort that was created. */
function CohortForm({ onSaved }: { onSaved: (key: string) => void }) {
  const { options } = useProductChoices();
  const form = useStaffForm({
    start: { name: '', note: '', product_ids: [] as string[], starts_on: today(), ends_on: '' },
    required: () => ({ name: say('Enter a name') }),
    schema: newCohort,
    send: (body) => call(createCohort, { body }),
    failed: say('Failed to create cohort'),
    refusedAt: { duplicate_name: 'name' },
    sayInvalid: {
      starts_on: say('Enter a complete day'),
      ends_on: say('Enter a complete day, not before the first'),
    },
    onDone: ({ cohort_id }) => onSaved(cohort_id),
    done: say('Cohort created'),
    changes: ['users'],
  });
  const { field } = form;
  return (
    <StaffForm form={form} save={say('Create Cohort')}>
      <div className="grid content-start gap-4 md:grid-cols-[repeat(2,minmax(0,1fr))] lg:grid-cols-[minmax(0,1.4fr)_minmax(0,1.4fr)_minmax(0,1fr)_minmax(0,1fr)]">
        <TextField
          {...field('name')}
          label={say('Name')}
          required
          autoComplete="off"
          placeholder={say('Spring 2026')}
          maxLength={COHORT_MAX.name}
        />
        <MultiSelect
          {...field('product_ids')}
          id="cohort-products"
          label={say('Products')}
          prompt={say('Select products')}
          summary={sayChosen}
          options={options}
        />
        <DateField {...field('starts_on')} label={say('Access from')} max={form.values.ends_on} />
        <DateField
          {...field('ends_on')}
          label={say('Access until')}
          hint={say('Last day. Empty: no end.')}
          min={form.values.starts_on}
        />
      </div>
    </StaffForm>
  );
}
