// The form that adds a user, or adds products and cohorts to an existing user (R-AUSER-02 to R-AUSER-04, R-VAL-16 to
// R-VAL-18, R-COHORT-26).
import { type AppUser, EDIT_MEMBER_ROLE, listUsers, PERSON_MAX, savedUser, saveUser } from '@portal/contract';
import { queryOptions, useQuery, useQueryClient } from '@tanstack/react-query';
import { User } from 'lucide-react';
import { useEffect, useState } from 'react';
import { call } from '../../api.ts';
import { TextField } from '../../ui/field.tsx';
import { Notice } from '../../ui/notice.tsx';
import { MultiSelect } from '../../ui/picker.tsx';
import { isolate } from '../../ui/text.tsx';
import { say, sayServed } from '../../words/say.ts';
import { useTell } from '../files/upload.tsx';
import { FIELDS, StaffForm, useStaffForm } from '../form.tsx';
import { sayChosenCohorts, useCohorts } from '../nouns/cohort.tsx';
import { RecordLink } from '../nouns/person.tsx';
import { sayChosen, useProductChoices } from '../nouns/product.tsx';
import { useMay } from '../role.tsx';

const EMPTY = {
  email: '',
  name: '',
  phone_number: '',
  product_ids: [] as string[],
  cohort_ids: [] as string[],
};

/** `onSaved` gets the id of the user that was saved. */
export function UserForm({ onSaved }: { onSaved: (key: string) => void }) {
  const { options } = useProductChoices();
  const cohorts = useCohorts();
  const tell = useTell(say('One mail, 10 minutes after saving. It has no code and no sign-in link.'));
  const { known: asked, ask, find, error } = useKnownUser();
  const form = useStaffForm({
    start: EMPTY,
    // Only a new user needs a name. When the form is submitted, the search that `ask` has started may still run. So
    // `find` searches again and resolves to the user, if the user exists.
    required: async ({ email, name, cohort_ids }) => ({
      email: say('Enter an email address'),
      ...(name.trim() === '' && !(await find(email)) && { name: say('Enter a name') }),
      ...(cohort_ids.length === 0 && { product_ids: say('Select at least one product') }),
    }),
    schema: savedUser,
    send: ({ cohort_ids = [], ...user }) => {
      const cohorts = cohort_ids.length > 0 && { cohort_ids };
      const body = { ...user, ...tell.body, user_role: 'user', ...cohorts };
      return call(saveUser, { body });
    },
    failed: say('Failed to create/update user'),
    // A response without `user` is a success too. The empty id then highlights no row of the list.
    onDone: ({ user }) => onSaved(user?.id ?? ''),
    done: ({ message }) => (message ? sayServed(message) : say('User created/updated successfully')),
    changes: ['users'],
    onRestored: ({ email }) => ask(email),
  });
  const { noteRefusal } = form;
  // The search belongs to the form too: if it is refused for the role, the form stays with what was typed.
  useEffect(() => noteRefusal(error), [error, noteRefusal]);
  const known = asked?.email === toAddress(form.values.email) ? asked : undefined;
  const { field } = form;
  const email = field('email');
  return (
    <StaffForm form={form} save={say('Save User')}>
      <div className={FIELDS}>
        <TextField
          {...email}
          label={say('Email')}
          type="email"
          required
          autoComplete="off"
          placeholder="learner@example.org"
          maxLength={PERSON_MAX.email}
          onChange={(typed) => {
            ask('');
            email.onChange(typed);
          }}
          onBlur={({ target }) => ask(target.validity.valid ? target.value : '')}
        />
        <TextField
          {...field('name')}
          label={say('Name')}
          required={!known}
          optional={!!known}
          autoComplete="off"
          maxLength={PERSON_MAX.name}
        />
        <TextField
          {...field('phone_number')}
          label={say('Phone')}
          type="tel"
          optional
          autoComplete="off"
          maxLength={PERSON_MAX.phone_number}
        />
        {cohorts.options.length > 0 && (
          <MultiSelect
            {...field('cohort_ids')}
            id="user-cohorts"
            label={say('Cohorts')}
            optional
            prompt={say('No cohort')}
            summary={sayChosenCohorts}
            options={cohorts.options}
          />
        )}
        <MultiSelect
          {...field('product_ids')}
          id="user-products"
          label={say('Products')}
          className={cohorts.options.length > 0 ? 'col-span-full' : undefined}
          // The products of a cohort are enough.
          required={form.values.cohort_ids.length === 0}
          prompt={say('Select products')}
          summary={sayChosen}
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
        {say('This person exists: {name}. Saving adds the products.', { name: isolate(name || email) })}
      </strong>{' '}
      <RecordLink to={user_id}>{say('Open full record')}</RecordLink>
      <br />
      {mayRename
        ? say('A name or phone number that you type replaces the old one; one left empty stays.')
        : say('Name and phone number stay: only an owner changes those of a member of the team.')}
    </Notice>
  );
}

/**
 * Finds the user of an email address before the form is saved, in two ways. `ask(address)` starts a search, and
 * a later render has the user in `known`. `find(address)` resolves to the user. `known` and the result of `find` are
 * undefined if no user has the address or the request failed. `error` is the error of the search that `ask` has
 * started.
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

/** Converts an email address to the form in which the portal stores it. */
export function toAddress(typed: string): string {
  return typed.trim().toLowerCase();
}

function pick(users: AppUser[] | null | undefined, email: string): AppUser | undefined {
  return users?.find((user) => user.email === email);
}

/**
 * Returns the query options of a search for users whose address or name begins with `q`. Only the first user is
 * requested. If `q` is the full address of a user, that user is the first.
 */
function usersFrom(q: string) {
  const query = new URLSearchParams({ q, limit: '1' });
  return queryOptions<AppUser[]>({ queryKey: [`${listUsers.path}?${query}`], staleTime: 0 });
}
