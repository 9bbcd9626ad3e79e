// The list of cohorts, either the current ones or the archived ones. The server returns the whole list at once, so the
// browser does the paging.
import type { Cohort } from '@portal/contract';
import { createCohort, listUsers } from '@portal/contract';
import { Users } from 'lucide-react';
import { Link } from 'wouter';
import { Card } from '../../../ui/card.tsx';
import { type Column, cutWords } from '../../../ui/columns.ts';
import { DataTable } from '../../../ui/data-table.tsx';
import { Segments } from '../../../ui/segments.tsx';
import { sayNumber } from '../../../words/format.ts';
import { say } from '../../../words/say.ts';
import admin from '../admin.module.css';
import { AsOf } from '../lists/as-of.tsx';
import { ListBody } from '../lists/list-body.tsx';
import { cohortListWords } from '../lists/list-words.ts';
import { sliceList } from '../lists/slice-list.ts';
import { useListState } from '../lists/use-list.ts';
import { useMay } from '../role-gate.tsx';
import { today } from '../today.ts';
import { cohortPath } from './cohort-path.ts';
import { sayAccess } from './cohort-words.ts';
import styles from './cohorts.module.css';
import { useArchivedCohorts, useCohorts } from './use-cohorts.ts';

const ARCHIVED = 'archived';

/** `isLinked` is false for those who may not see the page of a cohort. */
function listColumns(isLinked: boolean): Column<Cohort>[] {
  return [
    {
      label: say('Name'),
      as: 'strong',
      words: ({ name }) => cutWords(name, 40),
      draw: ({ cohort_id }, { text }) =>
        isLinked ? (
          <Link href={cohortPath(cohort_id)} className={admin.rowLink} dir="auto">
            {text}
          </Link>
        ) : (
          <bdi>{text}</bdi>
        ),
    },
    {
      label: say('Members'),
      as: 'end',
      right: true,
      words: ({ members }) => ({ text: sayNumber(members) }),
      labelOnPhones: true,
    },
    {
      label: say('Products'),
      as: 'line',
      right: true,
      words: ({ grants }) => ({ text: sayNumber(grants.length) }),
      labelOnPhones: true,
    },
    { label: say('Access'), as: 'line', words: ({ grants }) => ({ text: sayAccess(grants, today()) }) },
  ];
}

export function CohortsTable({ newRow }: { newRow: string | undefined }) {
  const may = useMay();
  const current = useCohorts().query;
  const archived = useArchivedCohorts();
  const list = useListState(['show']);
  const isArchived = list.state.filters.show === ARCHIVED;
  const query = isArchived ? archived : current;
  const words = cohortListWords(may(createCohort));
  const page = sliceList(query.data ?? [], list);
  const hasNone = current.data?.length === 0 && archived.data?.length === 0;
  return (
    <Card title={say('Existing Cohorts')} action={<AsOf query={query} of={['users']} />}>
      <ListBody
        words={isArchived ? { ...words, empty: say('No cohort is archived.') } : words}
        // The list has no search. The user's choice between current and archived cohorts is no filter of rows.
        list={{ ...list, isNarrowed: false }}
        query={query}
        page={page}
        icon={Users}
        filters={
          !hasNone && (
            <Segments
              label={say('Show')}
              value={isArchived ? ARCHIVED : ''}
              options={[
                { value: '', label: say('Current'), count: current.data?.length },
                { value: ARCHIVED, label: say('Archived'), count: archived.data?.length },
              ]}
              onChange={(value) => list.filter('show', value)}
            />
          )
        }
      >
        <DataTable
          className={styles.cohorts}
          caption={say('Cohorts')}
          columns={listColumns(may(listUsers))}
          rows={page.rows}
          keyOf={({ cohort_id }) => cohort_id}
          marked={newRow}
        />
      </ListBody>
    </Card>
  );
}
