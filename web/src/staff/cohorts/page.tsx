// The page of one cohort: its products, its members, and the actions on both with their dialogs (R-COHORT-04, R-COHORT-05,
// R-COHORT-13, R-COHORT-22).
import {
  ADDRESSES_MAX,
  addMembers,
  COHORT_MAX,
  type CohortRecord,
  editCohort,
  editedCohort,
  email,
  exportUsers,
  getCohort,
  listUsers,
  moveMembers,
  removeMembers,
} from '@portal/contract';
import {
  Archive,
  ArchiveRestore,
  ArrowLeftRight,
  Pencil,
  TriangleAlert,
  UserMinus,
  UserPlus,
  Users,
} from 'lucide-react';
import { useState } from 'react';
import { useParams } from 'wouter';
import { call } from '../../api.ts';
import { queryClient, queryOf } from '../../queries.ts';
import { Button } from '../../ui/button.tsx';
import { CardBody } from '../../ui/card.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { Select, TextArea, TextField } from '../../ui/field.tsx';
import { Icon } from '../../ui/icon.tsx';
import { ActionMenu } from '../../ui/menu.tsx';
import { Notice } from '../../ui/notice.tsx';
import { Tag } from '../../ui/tag.tsx';
import { isolate } from '../../ui/text.tsx';
import { t, tCount } from '../../words/translate.ts';
import { type ActionOrder, toastSuccess, useAction } from '../action.tsx';
import { AddCard, AddCards } from '../add-cards.tsx';
import { BulkUpload, UploadOutcome, uploadCard, useNeededCard } from '../files/upload.tsx';
import {
  EditDialog,
  FORM_FOOT,
  RestoredNotice,
  SubmitButton,
  TheirsBar,
  useDialogForm,
  useStaffForm,
} from '../form.tsx';
import { NothingHerePage, RecordPage } from '../frame.tsx';
import { useJobAddress } from '../jobs.tsx';
import { ListCard, useList, useListState } from '../list.tsx';
import { COHORTS_PATH, CohortStateMark, findState, formatMembers, useCohorts } from '../nouns/cohort.tsx';
import { formatProducts } from '../nouns/product.tsx';
import {
  formatAddPeople,
  formatChanged,
  formatMorePeople,
  formatPeople,
  formatWhom,
  LeaveDialog,
  PeopleJob,
  type PeopleSelection,
  SelectionBar,
  usePeopleCount,
  useSelection,
} from '../people/actions.tsx';
import { DownloadPeople, listMemberColumns } from '../people/list.tsx';
import { RoleGate, useMay } from '../role.tsx';
import { countShort, PRODUCTS_ID, ProductsCard } from './products.tsx';

export function CohortPage() {
  const { id = '' } = useParams();
  return (
    // A viewer sees the list of cohorts only (R-TEAM-32).
    <RoleGate to={listUsers} otherwise={<NothingHerePage title={t('Users')} tabTitle={t('Cohorts')} />}>
      <Cohort key={id} id={id} />
    </RoleGate>
  );
}

function Cohort({ id }: { id: string }) {
  const { query } = useMembersList(id);
  return (
    <RecordPage
      of={getCohort}
      id={id}
      isFresh
      // The cards below the members are drawn at their place.
      isLoading={query.isPending}
      back={{ href: COHORTS_PATH, label: t('Cohorts') }}
      title={t('Cohort')}
      loading={t('Loading the cohort...')}
      notLoaded={t('We could not load the cohort.')}
      unknown={{ heading: t('Cohort not found'), words: t('No cohort has this address.') }}
      frame={frameOf}
      timeline={{ cohort_id: id }}
    >
      {(cohort) => (
        <>
          <PeopleJob />
          {cohort.archived && <ArchivedNotice />}
          {!cohort.archived && <AddPeople cohort={cohort} />}
          <MembersCard cohort={cohort} />
          <ProductsCard cohort={cohort} />
        </>
      )}
    </RecordPage>
  );
}

/** The cards that add members, above their list (R-DAY-03). */
function AddPeople({ cohort: { cohort_id, name, members } }: { cohort: CohortRecord }) {
  return (
    <>
      <AddCards isEmpty={members === 0} needed={useNeededCard('users')}>
        <AddCard name="add" title={t('Add Members')} to={addMembers}>
          <AddMembers cohort_id={cohort_id} />
        </AddCard>
        {/* The upload of the Users page without a choice of products (R-COHORT-14). */}
        <AddCard {...uploadCard('users')}>
          <BulkUpload kind="users" body={{ cohort_id }} target={name} />
        </AddCard>
      </AddCards>
      <RoleGate to={addMembers}>
        <UploadOutcome kind="users" />
      </RoleGate>
    </>
  );
}

function frameOf(cohort: CohortRecord) {
  const { name, note, members, grants } = cohort;
  // The list of members stands above the card of the products, which says the same of each product.
  const short = grants.reduce((sum, grant) => sum + countShort(grant, members), 0);
  return {
    title: name,
    lines: (
      <>
        <div className="mt-1.5 flex flex-wrap items-center gap-x-3 gap-y-1 text-sm/5.5 text-ink-2 tabular-nums">
          <CohortStateMark state={findState(cohort)} />
          <span>
            {formatMembers(members)} · {formatProducts(grants.length)}
          </span>
          {short > 0 && (
            // Below the members, the card of the products is out of view.
            <a href={`#${PRODUCTS_ID}`} className="flex min-h-6 items-center rounded-xs hover:underline">
              <Tag tone="warning">
                <Icon of={TriangleAlert} size={13} strong />
                {t('short by {k}', { k: short })}
              </Tag>
            </a>
          )}
        </div>
        {note !== null && (
          <p dir="auto" className="max-w-176 mt-1.5 text-ink-2 wrap-anywhere whitespace-pre-line">
            {note}
          </p>
        )}
      </>
    ),
    aside: <CohortActions cohort={cohort} />,
  };
}

/** The number of different products that the cohort gives; null if it gives all. */
function countProducts({ grants }: CohortRecord): number | null {
  const ids = new Set(grants.map(({ product_id }) => product_id));
  return ids.has(null) ? null : ids.size;
}

/** The menu of actions on the cohort. Who may add members may do all of them. */
function CohortActions({ cohort }: { cohort: CohortRecord }) {
  const [asked, setAsked] = useState<'edit' | 'archive' | null>(null);
  const { name, archived } = cohort;
  const onClose = () => setAsked(null);
  return (
    <RoleGate to={editCohort}>
      <div className="flex flex-none items-center gap-2 pt-0.5 max-md:mt-2">
        {archived && <BringBack cohort={cohort} />}
        <ActionMenu
          label={t('More for {product}', { product: name })}
          groups={[
            [{ label: t('Edit name'), icon: Pencil, onChoose: () => setAsked('edit') }],
            [
              !archived && {
                label: t('Archive Cohort'),
                icon: Archive,
                hint: t(
                  'Ends what this cohort gives and hides it from choices. Members stay; bringing it back restores it.',
                ),
                onChoose: () => setAsked('archive'),
              },
            ],
          ]}
        />
      </div>
      {asked === 'edit' && <EditNameDialog cohort={cohort} onClose={onClose} />}
      {/* Somebody else may archive it meanwhile. */}
      {asked === 'archive' && !archived && <ArchiveDialog cohort={cohort} onClose={onClose} />}
    </RoleGate>
  );
}

function BringBack({ cohort }: { cohort: CohortRecord }) {
  const { cohort_id: id, name, note, version } = cohort;
  const { run, busy, isDisabled } = useAction({
    send: () => call(editCohort, { params: { id }, body: { name, note, version, archived: false } }),
    failed: t('Failed to bring the cohort back'),
    stays: true,
    done: t('Cohort brought back'),
    changes: ['users'],
  });
  return (
    <Button
      size="sm"
      look="primary"
      icon={ArchiveRestore}
      busy={busy}
      disabled={isDisabled}
      onClick={() => void run()}
    >
      {t('Bring back')}
    </Button>
  );
}

function ArchivedNotice() {
  return (
    <Notice icon={Archive}>
      <b className="font-medium">{t('This cohort is archived')}</b>
      <br />
      {t('It gives nothing and is not offered in choices. Its members stay.')}
    </Notice>
  );
}

function useMembersList(cohort_id: string) {
  const list = useListState([]);
  // The list of this page is always filtered by the cohort. So its URL does not contain this filter.
  const shown = useList(listUsers, {
    pageSize: list.pageSize,
    state: { ...list.state, filters: { cohort_id } },
    show: (state) => list.show({ ...state, filters: {} }),
  });
  return { list, ...shown };
}

function MembersCard({ cohort }: { cohort: CohortRecord }) {
  const { cohort_id, name } = cohort;
  const mayChange = useMay()(removeMembers);
  const { list, query, page } = useMembersList(cohort_id);
  const { q } = list.state;
  const selection = useSelection(q, page);
  const [asked, setAsked] = useState<'remove' | 'move' | null>(null);
  const props = { cohort, selection, q, isMore: page.isMore, onClose: () => setAsked(null) };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: handles Escape in the controls inside.
    <div className="xl:col-span-8" onKeyDown={selection.onKeyDown}>
      <ListCard
        title={t('Members')}
        of={['users']}
        words={{
          search: t('Search members'),
          searchHint: t('Search by name or email'),
          loading: t('Loading members...'),
          notLoaded: t('We could not load the members.'),
          empty: t('Nobody is in this cohort yet.'),
          noMatch: t('No members match.'),
          emptyPage: t('There are no members on this page.'),
          showAll: t('Show all members'),
        }}
        {...{ list, query, page }}
        icon={Users}
        bar={
          selection.count > 0 && (
            <SelectionBar selection={selection} page={page}>
              <Button size="sm" icon={ArrowLeftRight} onClick={() => setAsked('move')}>
                {t('Move to…')}
              </Button>
              <Button size="sm" icon={UserMinus} onClick={() => setAsked('remove')}>
                {t('Remove')}
              </Button>
            </SelectionBar>
          )
        }
        actions={
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
          caption: t('Members'),
          columns: listMemberColumns(q, countProducts(cohort)),
          keyOf: ({ id }) => id,
          selection: mayChange ? selection.rows : undefined,
        }}
      />
      {asked === 'remove' && <RemoveMembersDialog {...props} />}
      {asked === 'move' && <MoveDialog {...props} />}
    </div>
  );
}

function AddMembers({ cohort_id }: { cohort_id: string }) {
  const form = useStaffForm({
    mark: 'members',
    start: { emails: '' },
    required: () => ({}),
    schema: { safeParse: checkAddresses },
    send: (body) => call(addMembers, { params: { id: cohort_id }, body }),
    failed: t('Failed to add the people'),
    refusedAt: { too_many: 'emails' },
    done: ({ joined, already, created }) =>
      t('{joined} joined, {already} were members, {created} new people', { joined, already, created }),
    changes: ['users'],
  });
  const count = readAddresses(form.values.emails).addresses.length;
  return (
    <CardBody>
      <form
        {...form.props}
        data-untouched={form.isUntouched ? '' : undefined}
        className="flex flex-col gap-4 h-full"
      >
        <RestoredNotice isShown={form.onClear !== undefined} />
        <TextArea
          {...form.field('emails')}
          label={t('Email addresses')}
          hint={t('One a line, up to {most}. Unknown addresses become new people.', {
            most: ADDRESSES_MAX,
          })}
          rows={5}
          autoComplete="off"
          spellCheck={false}
        />
        <div className={FORM_FOOT}>
          <SubmitButton form={form} icon={UserPlus}>
            {form.busy ? t('Saving...') : count === 0 ? t('Add people') : formatAddPeople(count)}
          </SubmitButton>
        </div>
      </form>
    </CardBody>
  );
}

function checkAddresses({ emails: typed }: { emails: string }) {
  const { addresses: emails, problem } = readAddresses(typed);
  const message = problem ?? (emails.length === 0 ? t('Enter at least one address') : null);
  return message === null
    ? { success: true as const, data: { emails } }
    : { success: false as const, error: { issues: [{ path: ['emails'], message }] } };
}

/** Reads addresses, one a line. Returns them in lower case, each once. `problem` is the text about an invalid line. */
export function readAddresses(typed: string): { addresses: string[]; problem: string | null } {
  const lines = typed.split('\n').map((line) => line.trim());
  const addresses = new Set<string>();
  let problem: string | null = null;
  lines.forEach((line, at) => {
    if (line === '') return;
    const checked = email.safeParse(line);
    if (checked.success) addresses.add(checked.data);
    else
      problem ??= t('Line {line} is not an email address: {text}', {
        line: String(at + 1),
        text: line.slice(0, 100),
      });
  });
  if (problem === null && addresses.size > ADDRESSES_MAX)
    problem = t('{count} addresses; {most} at once are the most. Upload a CSV file instead.', {
      count: addresses.size,
      most: ADDRESSES_MAX,
    });
  return { addresses: [...addresses], problem };
}

function EditNameDialog({ cohort, onClose }: { cohort: CohortRecord; onClose: () => void }) {
  const { cohort_id: id, archived, version } = cohort;
  // What somebody else has saved since the page was loaded; null until the server has refused to save (R-COHORT-33).
  const [theirs, setTheirs] = useState<{ name: string; note: string } | null>(null);
  const form = useStaffForm({
    mark: 'name',
    start: { name: cohort.name, note: cohort.note ?? '', archived, version },
    required: () => ({ name: t('Enter a name') }),
    schema: editedCohort,
    send: (body) => call(editCohort, { params: { id }, body }),
    failed: t('Failed to save the changes'),
    refusedAt: { duplicate_name: 'name' },
    onConflict: async () => {
      const now = await call(getCohort, { params: { id } });
      queryClient.setQueryData(queryOf(getCohort, { id }).queryKey, now);
      setTheirs({ name: now.name, note: now.note ?? '' });
      form.reset({ ...form.values, version: now.version, archived: now.archived });
    },
    conflict: `${t('Somebody else changed this cohort meanwhile.')} ${t('What you typed is still here.')} ${t('‘Save’ keeps what stands in the form.')}`,
    onDone: onClose,
    done: t('Changes saved'),
    changes: ['users'],
  });
  const name = form.field('name');
  const note = form.field('note');
  return (
    <EditDialog
      form={form}
      title={t('Edit name')}
      words={t('Members never see the name of a cohort, nor its note.')}
      onClose={onClose}
    >
      <div>
        <TextField {...name} label={t('Name')} required autoComplete="off" maxLength={COHORT_MAX.name} />
        <TheirsBar label={t('Name')} field={name} theirs={theirs?.name} />
      </div>
      <div>
        <TextArea
          {...note}
          label={t('Note')}
          optional={t('optional, for staff only')}
          rows={3}
          maxLength={COHORT_MAX.note}
        />
        <TheirsBar label={t('Note')} field={note} theirs={theirs?.note} />
      </div>
    </EditDialog>
  );
}

function ArchiveDialog({ cohort, onClose }: { cohort: CohortRecord; onClose: () => void }) {
  const { cohort_id: id, name, note, version, members, holding } = cohort;
  const action = useAction({
    send: (_, expected) =>
      call(editCohort, { params: { id }, body: { name, note, version, archived: true, expected } }),
    counted: { shown: members, formatChange: formatMorePeople },
    failed: t('Failed to archive the cohort'),
    onDone: onClose,
    done: t('Cohort archived'),
    changes: ['users'],
  });
  return (
    <ConfirmDialog
      action={action}
      title={t('Archive {product}?', { product: isolate(name) })}
      words={formatWhom(action.count, holding)}
      confirm={t('Archive Cohort')}
      danger
      onCancel={onClose}
    >
      <p>
        {t(
          'Nobody gets a product by this cohort any more, and it is no longer offered in choices. Bring it back at any time.',
        )}
      </p>
    </ConfirmDialog>
  );
}

function MoveDialog(props: MembersActionProps) {
  const { cohort, onClose } = props;
  const { options } = useCohorts();
  const { holding, isCounting, whom, ...order } = useMembers('move', props);
  const form = useDialogForm({
    ...order,
    start: { to: '' },
    check: ({ to }) => (to === '' ? { to: t('Select a cohort') } : {}),
    send: async ({ to }, expected) => {
      const body = { ...whom, expected, to };
      const reply = await call(moveMembers, { params: { id: cohort.cohort_id }, body });
      return 'moved' in reply ? reply.moved : reply;
    },
    failed: t('Failed to move the people'),
  });
  const { count } = form;
  return (
    <ConfirmDialog
      action={form}
      title={t('Move {people} from {cohort}?', { people: formatPeople(count), cohort: isolate(cohort.name) })}
      words={formatWhom(count, holding)}
      confirm={tCount(count, { one: 'Move {count} person', other: 'Move {count} people' })}
      disabled={isCounting}
      onCancel={onClose}
    >
      <Select
        {...form.field('to')}
        label={t('Move to')}
        required
        prompt={t('Select a cohort')}
        options={options.filter(({ value }) => value !== cohort.cohort_id)}
      />
      <p>{t('Access that both cohorts give continues without a break.')}</p>
    </ConfirmDialog>
  );
}

function RemoveMembersDialog(props: MembersActionProps) {
  const { cohort, onClose } = props;
  const { holding, isCounting, whom, ...order } = useMembers('leave', props);
  const action = useAction({
    ...order,
    send: async (_, expected) => {
      const body = { ...whom, expected };
      const reply = await call(removeMembers, { params: { id: cohort.cohort_id }, body });
      return 'removed' in reply ? reply.removed : reply;
    },
    failed: t('Failed to remove the people'),
  });
  return <LeaveDialog {...{ action, cohort, holding, isCounting }} onCancel={onClose} />;
}

type MembersActionProps = {
  cohort: CohortRecord;
  selection: PeopleSelection;
  /** The search of the list; '' without a search. */
  q: string;
  /** True if the search finds more people than the list has counted. */
  isMore: boolean;
  onClose: () => void;
};

/**
 * Returns the parts that both actions on the selected members share. `whom` has the fields of the call that name the
 * members. `holding` is the number of these members who hold a code; null until it is known. The call returns the
 * number of changed people, or the job that changes all members.
 */
function useMembers(action: 'leave' | 'move', { cohort, selection, q, isMore, onClose }: MembersActionProps) {
  const { isAll, count, emails, end } = selection;
  const { cohort_id } = cohort;
  const isWhole = isAll && q === '';
  const { exact, isCounting } = usePeopleCount(
    isWhole ? null : { cohort_id, ...(isAll ? { filter: { cohort_id, q } } : { emails }) },
  );
  const { follow } = useJobAddress();
  const found = isAll && isMore && exact ? exact.people : count;
  const order = {
    counted: { shown: isWhole ? cohort.members : found, formatChange: formatMorePeople },
    onDone: (done) => {
      onClose();
      end();
      if (typeof done === 'object') follow(done.job_id);
      else toastSuccess(formatChanged(action, done, emails.length - done));
    },
    changes: ['users'],
  } satisfies Partial<ActionOrder<number | { job_id: string }, never>>;
  return {
    ...order,
    whom: { emails: isAll ? ('all' as const) : emails, ...(isAll && q !== '' && { q }) },
    isCounting,
    holding: isWhole ? cohort.holding : (exact?.holding ?? null),
  };
}
