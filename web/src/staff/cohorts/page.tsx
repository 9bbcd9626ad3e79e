// The page of one cohort: its products, its members, and the acts on both (R-COHORT-04, R-COHORT-13, R-COHORT-22).
import {
  ADDRESSES_MAX,
  addMembers,
  type CohortName,
  type CohortRecord,
  csvKinds,
  editCohort,
  email,
  exportUsers,
  getCohort,
  importUsers,
  listAudit,
  listUsers,
  removeMembers,
} from '@portal/contract';
import { useQuery } from '@tanstack/react-query';
import { Archive, ArchiveRestore, ArrowLeftRight, UserMinus, UserPlus, Users } from 'lucide-react';
import { useState } from 'react';
import { call, isNotFound } from '../../api.ts';
import { queryOf } from '../../queries.ts';
import { Button, OFF_BUTTON } from '../../ui/button.tsx';
import { CARD, Card, CardBody } from '../../ui/card.tsx';
import { TextArea } from '../../ui/field.tsx';
import { Tag } from '../../ui/tag.tsx';
import { sayNumber } from '../../words/format.ts';
import { say, sayCount } from '../../words/say.ts';
import { useAction } from '../action.tsx';
import { useUpload } from '../files/follow.ts';
import {
  CsvUpload,
  ImportSummary,
  RefusedFile,
  SampleButton,
  type Upload,
  useTell,
} from '../files/upload.tsx';
import { FORM_FOOT, RestoredNotice, useStaffForm } from '../form.tsx';
import { AdminFrame, PageState } from '../frame.tsx';
import { useJobAddress } from '../jobs.tsx';
import { ListCard, useList, useListState } from '../list.tsx';
import { Timeline } from '../log/timeline.tsx';
import { COHORTS_PATH, sayMembers } from '../nouns/cohort.tsx';
import { sayProducts } from '../nouns/product.tsx';
import { PeopleJob, SelectionBar, sayAddPeople, useSelection } from '../people/acts.tsx';
import { DownloadPeople, listUserColumns } from '../people/list.tsx';
import { RoleGate, useMay } from '../role.tsx';
import { ArchiveDialog, EditName, MoveDialog, RemoveMembersDialog } from './dialogs.tsx';
import { ProductsCard } from './products.tsx';

const back = () => ({ href: COHORTS_PATH, label: say('Cohorts') });

export function CohortPage({ id }: { id: string }) {
  // `gcTime: 0` removes the cohort from the cache when the page is left. So the page always opens with the newest
  // numbers.
  const query = useQuery({ ...queryOf(getCohort, { id }), gcTime: 0 });
  if (query.data) return <LoadedCohort cohort={query.data} />;
  const isUnknown = isNotFound(query.error);
  return (
    <AdminFrame title={isUnknown ? say('Cohort not found') : say('Cohort')} back={back()}>
      <PageState
        query={query}
        loading={say('Loading the cohort...')}
        unknown={say('No cohort has this address.')}
        notLoaded={say('We could not load the cohort.')}
      />
    </AdminFrame>
  );
}

function LoadedCohort({ cohort }: { cohort: CohortRecord }) {
  const { id: job } = useJobAddress();
  const { cohort_id, name, note, archived, members, grants } = cohort;
  return (
    <AdminFrame
      title={name}
      back={back()}
      tag={
        <>
          {archived && <Tag>{say('Archived')}</Tag>}
          <span className="text-ink-3 tabular-nums">
            {sayMembers(members)} · {sayProducts(grants.length)}
          </span>
        </>
      }
      lines={
        note !== null && (
          <p dir="auto" className="max-w-176 mt-1 text-ink-2 wrap-anywhere whitespace-pre-line">
            {note}
          </p>
        )
      }
      aside={
        <RoleGate to={editCohort}>
          <EditName cohort={cohort} />
        </RoleGate>
      }
    >
      {job && <PeopleJob />}
      <ProductsCard cohort={cohort} />
      {!archived && (
        <RoleGate to={addMembers}>
          <AddMembers cohort_id={cohort_id} />
          <MembersUpload cohort={cohort} />
        </RoleGate>
      )}
      <MembersCard cohort={cohort} />
      <RoleGate to={editCohort}>
        <ArchiveCard cohort={cohort} />
      </RoleGate>
      <RoleGate to={listAudit}>
        <Timeline subject={{ cohort_id }} />
      </RoleGate>
    </AdminFrame>
  );
}

const FILTERS: string[] = [];

function MembersCard({ cohort }: { cohort: CohortRecord }) {
  const { cohort_id, name } = cohort;
  const mayChange = useMay()(removeMembers);
  const list = useListState(FILTERS);
  // The list of this page is always filtered by the cohort. So its URL does not contain this filter.
  const { query, page } = useList(listUsers, {
    state: { ...list.state, filters: { cohort_id } },
    show: ({ q, cursors }) => list.show({ q, cursors, filters: {} }),
  });
  const { q } = list.state;
  const selection = useSelection(q, page);
  const [asked, setAsked] = useState<'remove' | 'move' | null>(null);
  const props = { cohort, selection, q, isMore: page.isMore, onClose: () => setAsked(null) };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: handles Escape in the controls inside.
    <div onKeyDown={selection.onKeyDown}>
      <ListCard
        title={say('Members')}
        of={['users']}
        words={{
          search: say('Search members'),
          searchHint: say('Words of an email or name'),
          loading: say('Loading members...'),
          notLoaded: say('We could not load the members.'),
          empty: say('Nobody is in this cohort yet.'),
          noMatch: say('No members match.'),
          emptyPage: say('There are no members on this page.'),
          showAll: say('Show all members'),
        }}
        list={list}
        query={query}
        page={page}
        icon={Users}
        bar={
          selection.count > 0 && (
            <SelectionBar selection={selection} page={page}>
              <Button size="sm" icon={ArrowLeftRight} onClick={() => setAsked('move')}>
                {say('Move to…')}
              </Button>
              <Button size="sm" icon={UserMinus} onClick={() => setAsked('remove')}>
                {say('Remove')}
              </Button>
            </SelectionBar>
          )
        }
        acts={
          query.isSuccess && (
            <RoleGate to={exportUsers}>
              <DownloadPeople
                filters={q === '' ? { cohort_id } : { cohort_id, q }}
                selected={q === '' ? [name] : [name, `‘${q}’`]}
                total={page.total}
                isMore={page.isMore}
              />
            </RoleGate>
          )
        }
        table={{
          caption: say('Members'),
          columns: listUserColumns(q, 'joined'),
          keyOf: ({ id }) => id,
          selection: mayChange ? selection.rows : undefined,
        }}
      />
      {asked === 'remove' && <RemoveMembersDialog {...props} />}
      {asked === 'move' && <MoveDialog {...props} />}
    </div>
  );
}

/** The upload of the Users page without a choice of products (R-COHORT-14). */
function MembersUpload({ cohort: { cohort_id, name } }: { cohort: CohortName }) {
  const shown = useUpload('users');
  const columns = [...csvKinds.users.required, ...csvKinds.users.optional].join(', ');
  const tell = useTell(say('One mail to each person who gets a product they did not have.'));
  const send = (upload: Upload) => call(importUsers, { body: { ...upload, ...tell.body, cohort_id } });
  return (
    <>
      <Card title={say('Bulk Upload Users')} className="lg:col-span-6" action={<SampleButton kind="users" />}>
        <RefusedFile shown={shown} />
        <CardBody className="flex flex-col gap-4 h-full">
          {tell.tick}
          <CsvUpload
            kind="users"
            hasProduct
            hint={say('Columns: {columns}', { columns })}
            target={name}
            send={send}
          />
        </CardBody>
      </Card>
      <ImportSummary shown={shown} />
    </>
  );
}

function AddMembers({ cohort_id }: { cohort_id: string }) {
  const form = useStaffForm({
    mark: 'members',
    start: { emails: '' },
    required: () => ({}),
    schema: { safeParse: checkAddresses },
    send: (body) => call(addMembers, { params: { id: cohort_id }, body }),
    failed: say('Failed to add the people'),
    refusedAt: { too_many: 'emails' },
    done: ({ joined, already, created }) =>
      say('{joined} joined, {already} were members, {created} new people', {
        joined: sayNumber(joined),
        already: sayNumber(already),
        created: sayNumber(created),
      }),
    changes: ['users'],
  });
  const count = readAddresses(form.values.emails).addresses.length;
  return (
    <Card title={say('Add Members')} className="lg:col-span-6">
      <CardBody>
        <form {...form.props} className="flex flex-col gap-4 h-full">
          <RestoredNotice isShown={form.onClear !== undefined} />
          <TextArea
            {...form.field('emails')}
            label={say('Email addresses')}
            hint={say('One a line, up to 500. Unknown addresses become new people.')}
            rows={5}
            autoComplete="off"
            spellCheck={false}
          />
          <div className={FORM_FOOT}>
            <Button
              look="primary"
              icon={UserPlus}
              className={OFF_BUTTON}
              type="submit"
              busy={form.busy}
              aria-disabled={form.isOff || undefined}
            >
              {form.busy ? say('Saving...') : count === 0 ? say('Add people') : sayAddPeople(count)}
            </Button>
          </div>
        </form>
      </CardBody>
    </Card>
  );
}

function checkAddresses({ emails: typed }: { emails: string }) {
  const { addresses: emails, problem } = readAddresses(typed);
  const message = problem ?? (emails.length === 0 ? say('Enter at least one address') : null);
  return message === null
    ? { success: true as const, data: { emails } }
    : { success: false as const, error: { issues: [{ path: ['emails'], message }] } };
}

/**
 * Reads addresses, one a line. Returns them in lower case, each once. `problem` says which line is none; it is null if
 * all lines are addresses.
 */
export function readAddresses(typed: string): { addresses: string[]; problem: string | null } {
  const lines = typed.split('\n').map((line) => line.trim());
  const addresses = new Set<string>();
  let problem: string | null = null;
  lines.forEach((line, at) => {
    if (line === '') return;
    const checked = email.safeParse(line);
    if (checked.success) addresses.add(checked.data);
    else
      problem ??= say('Line {line} is not an email address: {text}', {
        line: at + 1,
        text: line.slice(0, 100),
      });
  });
  if (problem === null && addresses.size > ADDRESSES_MAX)
    problem = sayCount(addresses.size, {
      one: '{count} address; 500 at once are the most. Upload a CSV file instead.',
      other: '{count} addresses; 500 at once are the most. Upload a CSV file instead.',
    });
  return { addresses: [...addresses], problem };
}

function ArchiveCard({ cohort }: { cohort: CohortRecord }) {
  const [isAsking, setAsking] = useState(false);
  const { cohort_id: id, name, note, version, archived } = cohort;
  const { run, busy, isOff } = useAction({
    send: () => call(editCohort, { params: { id }, body: { name, note, version, archived: false } }),
    failed: say('Failed to bring the cohort back'),
    stays: true,
    done: say('Cohort brought back'),
    changes: ['users'],
  });
  return (
    <section className={CARD} aria-label={say('Archive Cohort')}>
      <CardBody>
        <div className="flex items-center justify-between gap-6 [&_h2]:text-base/6 [&_p]:text-sm [&_p]:text-ink-3 [&_button]:flex-none max-md:flex-col max-md:items-stretch max-md:gap-3">
          <div>
            <h2>{archived ? say('This cohort is archived') : say('Archive Cohort')}</h2>
            <p>
              {archived
                ? say('It gives nothing and is not offered in choices. Its members stay.')
                : say(
                    'Ends what this cohort gives and hides it from choices. Members stay; bringing it back restores it.',
                  )}
            </p>
          </div>
          {archived ? (
            <Button
              size="sm"
              look="primary"
              icon={ArchiveRestore}
              busy={busy}
              disabled={isOff}
              onClick={() => void run()}
            >
              {say('Bring back')}
            </Button>
          ) : (
            <Button size="sm" icon={Archive} onClick={() => setAsking(true)}>
              {say('Archive Cohort')}
            </Button>
          )}
        </div>
      </CardBody>
      {isAsking && <ArchiveDialog cohort={cohort} onClose={() => setAsking(false)} />}
    </section>
  );
}
