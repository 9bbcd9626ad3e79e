// The admin page for users: user access, a form, the bulk upload and the list (R-AUSER-01 to R-AUSER-15, R-VAL-16
// to R-VAL-18, R-COHORT-26).
import {
  type AppUser,
  actOnUsers,
  EDIT_MEMBER_ROLE,
  exportUsers,
  getUserAccess,
  importUsers,
  type ListedUser,
  listUsers,
  savedUser,
  saveUser,
} from '@portal/contract';
import { queryOptions, useQuery, useQueryClient } from '@tanstack/react-query';
import { User } from 'lucide-react';
import { useEffect, useState } from 'react';
import { Redirect, useSearch } from 'wouter';
import { call } from '../../api.ts';
import { CardBody } from '../../ui/card.tsx';
import { FilterSelect, Segments } from '../../ui/choice.tsx';
import { TextField } from '../../ui/field.tsx';
import { Notice } from '../../ui/notice.tsx';
import { MultiSelect } from '../../ui/picker.tsx';
import type { Column } from '../../ui/table.tsx';
import { Tag } from '../../ui/tag.tsx';
import { cut, isolate } from '../../ui/text.tsx';
import { formatNumber } from '../../words/format.ts';
import { t, tCount, tServed } from '../../words/translate.ts';
import { AddCard, AddCards } from '../add-cards.tsx';
import { DownloadList } from '../exports.tsx';
import { RecentUploads } from '../files/lists.tsx';
import { BulkUpload, UploadOutcome, uploadCard, useNeededCard, useTell } from '../files/upload.tsx';
import { FIELDS, StaffForm, useStaffForm } from '../form.tsx';
import { column, ListCard, useList, useListState, useNewRow } from '../list.tsx';
import { COHORTS_PATH, formatChosenCohorts, useCohorts } from '../nouns/cohort.tsx';
import { PersonLink, personField, RecordLink } from '../nouns/person.tsx';
import { formatChosen, formatProducts, useProductChoices } from '../nouns/product.tsx';
import { RoleGate, useMay } from '../role.tsx';
import { Matched } from '../search-results.tsx';
import { formatDay } from '../time.ts';
import { AccessCard, toAddress } from './access.tsx';
import { PeopleJob, UsersActions, useSelection } from './actions.tsx';

export function UsersPage() {
  const { newRow, onSaved } = useNewRow();
  return (
    <>
      <AddCards needed={useNeededCard('users')}>
        <AddCard name="add" title={t('Add New User')} to={saveUser}>
          <CardBody>
            <UserForm onSaved={onSaved} />
          </CardBody>
        </AddCard>
        <AddCard {...uploadCard('users')}>
          <UsersUpload />
        </AddCard>
        <AddCard
          name="access"
          title={t('User Access Management')}
          sub={t('See which tools a person has, and give or replace a code.')}
          to={getUserAccess}
        >
          <AccessCard />
        </AddCard>
      </AddCards>
      <RoleGate to={importUsers}>
        <UploadOutcome kind="users" />
      </RoleGate>
      {/* For a viewer, the section has only the cohorts (R-TEAM-32). */}
      <RoleGate to={listUsers} otherwise={<Redirect to={COHORTS_PATH} replace />}>
        <UsersTable newRow={newRow} />
      </RoleGate>
    </>
  );
}

function UsersUpload() {
  const { options, names } = useProductChoices();
  const [chosen, setChosen] = useState<string[]>([]);
  const [only] = chosen;
  const target = chosen.length === 1 && only ? (names.get(only) ?? null) : formatProducts(chosen.length);
  return (
    <BulkUpload kind="users" body={{ product_ids: chosen }} hasProduct={chosen.length > 0} target={target}>
      <MultiSelect
        id="users-products"
        label={t('Products for all users in the file')}
        required
        prompt={t('Select products')}
        summary={formatChosen}
        canSelectAll
        options={options}
        value={chosen}
        onChange={setChosen}
      />
    </BulkUpload>
  );
}

const FILTERS = ['role', 'cohort_id'];
const SORTS = ['email', 'name', 'last_sign_in', 'created'];
const listRoles = () => [
  { value: '', label: t('All') },
  { value: 'user', label: formatRole('user') },
  { value: 'admin', label: formatRole('admin') },
];

/** The list of users. Managers can select several and change them together (R-COHORT-24, R-IMP-30). */
function UsersTable({ newRow }: { newRow: string | undefined }) {
  const may = useMay();
  const search = new URLSearchParams(useSearch());
  // A search and a cohort have one order only: newest first.
  const isSortable = !search.get('q') && !search.get('cohort_id');
  const list = useListState(FILTERS, { sorts: isSortable ? SORTS : [] });
  const { query, page } = useList(listUsers, list);
  const { q, filters } = list.state;
  const cohorts = useCohortFilter(filters.cohort_id);
  const selection = useSelection(JSON.stringify([q, filters]), page);
  const selected = [
    ...listRoles().filter(({ value }) => value !== '' && value === filters.role),
    ...(cohorts.chosen ? [{ label: cohorts.chosen.name }] : []),
    ...(q === '' ? [] : [{ label: `‘${q}’` }]),
  ].map(({ label }) => label);
  return (
    <>
      <PeopleJob />
      {/* biome-ignore lint/a11y/noStaticElementInteractions: handles Escape in the controls inside. */}
      <div onKeyDown={selection.onKeyDown}>
        <ListCard<ListedUser>
          // With cohorts, the list has a further filter and column: the rows would move.
          lacksNames={cohorts.isPending}
          title={t('Existing Users')}
          of={['users']}
          words={{
            search: t('Search people'),
            searchHint: t('Search by name or email'),
            loading: t('Loading people...'),
            notLoaded: t('We could not load the people.'),
            empty: may(saveUser) ? t('No users found. Create your first user above.') : t('No users found.'),
            noMatch: t('No people match.'),
            emptyPage: t('There are no people on this page.'),
            showAll: t('Show all people'),
          }}
          list={list}
          query={query}
          page={page}
          bar={
            selection.count > 0 && (
              <UsersActions
                selection={selection}
                page={page}
                state={list.state}
                filter={selected.join(', ')}
                cohort={cohorts.chosen}
              />
            )
          }
          filters={
            <>
              <Segments
                label={t('Role')}
                value={filters.role ?? ''}
                options={listRoles()}
                onChange={(role) => list.filter('role', role)}
              />
              {cohorts.select(list.filter)}
            </>
          }
          actions={
            query.isSuccess && (
              <RoleGate to={exportUsers}>
                <DownloadPeople
                  filters={q === '' ? filters : { ...filters, q }}
                  selected={selected}
                  total={page.total}
                  isMore={page.isMore}
                />
              </RoleGate>
            )
          }
          table={{
            caption: t('Users'),
            columns: listUserColumns(q, cohorts.exist),
            keyOf: ({ id }) => id,
            marked: newRow,
            selection: may(actOnUsers) ? selection.rows : undefined,
          }}
        />
      </div>
      {/* Not before the list above has its height, so that the card does not move. */}
      {!query.isPending && !cohorts.isPending && (
        <RoleGate to={importUsers}>
          <RecentUploads kind="users" />
        </RoleGate>
      )}
    </>
  );
}

/** The select that filters the list by a cohort. `chosen` is the cohort with the id `id`; null without this filter. */
function useCohortFilter(id: string | undefined) {
  const { query, options } = useCohorts();
  const found = options.find(({ value }) => value === id);
  // The cohort of a link may be archived by now. The list shows its members all the same.
  const other = id !== undefined && !found && query.isSuccess ? t('Archived cohort') : null;
  const all = other === null ? options : [...options, { value: id ?? '', label: other }];
  const name = found?.label ?? other ?? '';
  return {
    isPending: query.isPending,
    exist: all.length > 0,
    chosen: id === undefined ? null : { cohort_id: id, name },
    select: (filter: (name: string, value: string) => void) =>
      all.length > 0 && (
        <FilterSelect
          label={t('Cohort')}
          value={id ?? ''}
          options={[{ value: '', label: t('All cohorts') }, ...all]}
          onChange={(value) => filter('cohort_id', value)}
        />
      ),
  };
}

/** Number of cohorts that a row names. */
const SHOWN_COHORTS = 2;

/** Returns the columns of the list of users, with the searched text `q` marked in the cells. */
function listUserColumns(q: string, hasCohorts: boolean): Column<ListedUser>[] {
  return [
    ...namingColumns(q),
    ...(hasCohorts ? [cohortsColumn()] : []),
    column(t('Phone'), ({ phone_number }) => phone_number || t('N/A'), {
      max: 20,
      draw: ({ phone_number }, { text }) => faintUnless(phone_number, text),
      awayOnLaptops: true,
      awayOnPhones: () => true,
    }),
    roleColumn(),
    // The record has it. Rows of phones are two lines high.
    { ...signInColumn(), awayOnPhones: () => true },
    column(t('Created'), ({ created_at }) => (created_at ? formatDay(created_at) : ''), {
      sort: 'created',
      isDescending: true,
      awayOnLaptops: true,
      awayOnPhones: () => true,
    }),
    column(t('Codes held'), ({ codes_held }) => (codes_held === undefined ? '' : formatNumber(codes_held)), {
      draw: ({ codes_held }, { text }) => (
        <bdi className={codes_held ? 'text-ink' : 'text-ink-3'}>{text}</bdi>
      ),
      right: true,
      labelOnPhones: true,
      awayOnPhones: ({ codes_held }) => !codes_held,
    }),
  ];
}

/**
 * Returns the columns of the members of a cohort. `products` is the number of products that the cohort gives; null if it
 * gives all.
 */
export function listMemberColumns(q: string, products: number | null): Column<ListedUser>[] {
  return [
    ...namingColumns(q),
    column(t('Codes held'), ({ codes_claimed: a = 0 }) => formatClaimed(a, products), {
      draw: ({ codes_claimed: a }, { text }) => faintUnless(a, text),
      labelOnPhones: true,
    }),
    signInColumn(),
    column(t('Joined'), ({ joined_at }) => (joined_at ? formatDay(joined_at) : ''), {
      awayOnPhones: () => true,
    }),
  ];
}

function formatClaimed(a: number, products: number | null): string {
  return products === null ? formatNumber(a) : t('{a} of {n}', { a, n: products });
}

function namingColumns(q: string): Column<ListedUser>[] {
  return [
    column(t('Email'), ({ email }) => email, {
      as: 'strong',
      max: 40,
      sort: 'email',
      draw: ({ user_id }, { text }) => (
        <PersonLink to={user_id}>
          <Address text={text} q={q} />
        </PersonLink>
      ),
    }),
    // A user without a name is shown with the user id.
    column(t('Name'), ({ name, user_id }) => name?.trim() || user_id, {
      max: 25,
      sort: 'name',
      draw: ({ name }, { text }) => (
        <span className={name?.trim() ? undefined : 'text-ink-3'}>
          <Matched text={text} q={q} />
        </span>
      ),
    }),
  ];
}

/** A text that stands for no value is grey, so that the values are found at a glance. */
function faintUnless(value: unknown, text: string) {
  return <bdi className={value ? undefined : 'text-ink-3'}>{text}</bdi>;
}

/** Breaks a long address before the `@` only. With a search, the marks hold the text together. */
function Address({ text, q }: { text: string; q: string }) {
  const [name = '', host] = text.split('@');
  if (q !== '' || host === undefined) return <Matched text={text} q={q} />;
  return (
    <bdi>
      {name}
      <wbr />@{host}
    </bdi>
  );
}

function signInColumn(): Column<ListedUser> {
  return column(
    t('Last sign-in'),
    ({ last_sign_in_at: at }) => (at ? formatDay(at) : at === null ? t('Never') : '-'),
    {
      draw: ({ last_sign_in_at: at }, { text }) => faintUnless(at, text),
      sort: 'last_sign_in',
      isDescending: true,
      labelOnPhones: true,
      awayOnPhones: ({ last_sign_in_at }) => !last_sign_in_at,
    },
  );
}

function roleColumn(): Column<ListedUser> {
  return column(t('Role'), ({ user_role }) => formatRole(user_role), {
    as: 'end',
    awayOnTablets: true,
    awayOnPhones: ({ user_role }) => user_role === 'user',
    draw: ({ user_role, team_role }, { text }) =>
      user_role === 'admin' ? (
        <span title={team_role ? tServed(team_role) : undefined}>
          <Tag tone="accent">{text}</Tag>
        </span>
      ) : (
        faintUnless(false, text)
      ),
  });
}

/** Two cohorts of a user, and how many more there are. Only wide screens show this column (R-COHORT-24). */
function cohortsColumn(): Column<ListedUser> {
  return column(t('Cohorts'), () => '', {
    wraps: true,
    draw: ({ cohorts = [], cohorts_more = 0 }) => {
      const more = Math.max(cohorts.length - SHOWN_COHORTS, 0) + cohorts_more;
      return (
        <span className="flex flex-wrap items-center gap-1">
          {cohorts.slice(0, SHOWN_COHORTS).map(({ cohort_id, name }) => (
            <span key={cohort_id} title={name}>
              <Tag>
                <bdi>{cut(name, 22)}</bdi>
              </Tag>
            </span>
          ))}
          {more > 0 && (
            <span className="whitespace-nowrap text-ink-3">{t('and {count} more', { count: more })}</span>
          )}
        </span>
      );
    },
    awayOnTablets: true,
    awayOnPhones: () => true,
  });
}

function formatRole(role: string): string {
  if (role === 'admin') return t('admin');
  return role === 'user' ? t('user') : role;
}

export function DownloadPeople(
  props: Pick<Parameters<typeof DownloadList>[0], 'filters' | 'selected' | 'total' | 'isMore'>,
) {
  return (
    <DownloadList
      {...props}
      name="people.csv"
      list={listUsers}
      exportCall={exportUsers}
      formatRows={(count, isMore) =>
        isMore
          ? t('Download more than {count} people', { count })
          : tCount(count, { one: 'Download {count} person', other: 'Download {count} people' })
      }
      whole={t('Everybody')}
    />
  );
}

const EMPTY = {
  email: '',
  name: '',
  phone_number: '',
  product_ids: [] as string[],
  cohort_ids: [] as string[],
};

/** Adds a user, or products and cohorts to an existing user. */
function UserForm({ onSaved }: { onSaved: (key: string) => void }) {
  const { options } = useProductChoices();
  const cohorts = useCohorts();
  const tell = useTell(t('One email, 10 minutes after saving. It has no code and no sign-in link.'));
  const { known: asked, ask, find, error } = useKnownUser();
  const form = useStaffForm({
    start: EMPTY,
    // Only a new user needs a name. The search that `ask` has started may still run, so `find` searches again.
    required: async ({ email, name, cohort_ids }) => ({
      email: t('Enter an email address'),
      ...(name.trim() === '' && !(await find(email)) && { name: t('Enter a name') }),
      ...(cohort_ids.length === 0 && { product_ids: t('Select at least one product') }),
    }),
    schema: savedUser,
    send: ({ cohort_ids = [], ...user }) => {
      const cohorts = cohort_ids.length > 0 && { cohort_ids };
      const body = { ...user, ...tell.body, user_role: 'user', ...cohorts };
      return call(saveUser, { body });
    },
    failed: t('Failed to create/update user'),
    // A response without `user` is a success too. The empty id then highlights no row of the list.
    onDone: ({ user }) => onSaved(user?.id ?? ''),
    done: ({ message }) => (message ? tServed(message) : t('User created/updated successfully')),
    changes: ['users'],
    onRestored: ({ email }) => ask(email),
  });
  const { noteRefusal } = form;
  // If the search is refused for the role, the form stays with what was typed.
  useEffect(() => noteRefusal(error), [error, noteRefusal]);
  const known = asked?.email === toAddress(form.values.email) ? asked : undefined;
  const { field } = form;
  const email = field('email');
  return (
    <StaffForm form={form} save={t('Save User')}>
      <div className={FIELDS}>
        <TextField
          {...email}
          {...personField('email')}
          required
          placeholder="learner@example.org"
          onChange={(typed) => {
            ask('');
            email.onChange(typed);
          }}
          onBlur={({ target }) => ask(target.validity.valid ? target.value : '')}
        />
        <TextField {...field('name')} {...personField('name')} required={!known} optional={!!known} />
        <TextField {...field('phone_number')} {...personField('phone_number')} optional />
        {cohorts.options.length > 0 && (
          <MultiSelect
            {...field('cohort_ids')}
            id="user-cohorts"
            label={t('Cohorts')}
            optional
            prompt={t('No cohort')}
            summary={formatChosenCohorts}
            options={cohorts.options}
          />
        )}
        <MultiSelect
          {...field('product_ids')}
          id="user-products"
          label={t('Products')}
          className={cohorts.options.length > 0 ? 'col-span-full' : undefined}
          // Not required if a cohort is chosen, because the cohort gives products.
          required={form.values.cohort_ids.length === 0}
          prompt={t('Select products')}
          summary={formatChosen}
          canSelectAll
          options={options}
        />
      </div>
      {tell.tick}
      <div role="status" className="text-sm [&_strong]:font-medium empty:absolute">
        {known && <PersonExists user={known} />}
      </div>
    </StaffForm>
  );
}

function PersonExists({ user: { user_id, name, email, team_role } }: { user: AppUser }) {
  // The server has the same rule (R-TEAM-43).
  const mayRename = useMay()(team_role === null ? saveUser : { role: EDIT_MEMBER_ROLE });
  return (
    <Notice icon={User}>
      <strong>
        {t('This person exists: {name}. Saving adds the products.', { name: isolate(name || email) })}
      </strong>{' '}
      <RecordLink to={user_id}>{t('Open full record')}</RecordLink>
      <br />
      {mayRename
        ? t('A name or phone number that you type replaces the old one; one left empty stays.')
        : t('Name and phone number stay: only an owner changes those of a member of the team.')}
    </Notice>
  );
}

/**
 * Finds the user of an email address before the form is saved. `ask(address)` starts a search, whose result is
 * `known` or `error` of a later render; `find(address)` resolves to the user. Both are undefined if no user has the
 * address or the request failed.
 */
function useKnownUser() {
  const queries = useQueryClient();
  const [asked, setAsked] = useState('');
  const { data, error } = useQuery({ ...usersFrom(asked), enabled: asked !== '' });
  const ask = (typed: string) => setAsked(toAddress(typed));
  const find = async (typed: string) => {
    ask(typed);
    const email = toAddress(typed);
    if (email === '') return undefined;
    return pick(await queries.fetchQuery(usersFrom(email)).catch(() => null), email);
  };
  return { known: pick(data, asked), ask, find, error };
}

function pick(users: AppUser[] | null | undefined, email: string): AppUser | undefined {
  return users?.find((user) => user.email === email);
}

/** The query of the first user whose address or name begins with `q`. The user with the full address `q` comes first. */
function usersFrom(q: string) {
  const query = new URLSearchParams({ q, limit: '1' });
  return queryOptions<AppUser[]>({ queryKey: [`${listUsers.path}?${query}`], staleTime: 0 });
}
