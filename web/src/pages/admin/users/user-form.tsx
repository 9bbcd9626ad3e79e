// The form that adds a user, or adds products and cohorts to an existing user (R-AUSER-02 to R-AUSER-04, R-VAL-16 to
// R-VAL-18, R-COHORT-26).
import { type AppUser, EDIT_MEMBER_ROLE, savedUser, saveUser } from '@portal/contract';
import { User } from 'lucide-react';
import { useEffect } from 'react';
import { call } from '../../../api.ts';
import { isolate } from '../../../ui/isolate.ts';
import { MultiSelect } from '../../../ui/multi-select.tsx';
import { Notice } from '../../../ui/notice.tsx';
import { TextField } from '../../../ui/text-field.tsx';
import { say, sayServed } from '../../../words/say.ts';
import styles from '../admin.module.css';
import { refreshLists } from '../changes.ts';
import { sayChosenCohorts } from '../cohorts/cohort-words.ts';
import { useCohorts } from '../cohorts/use-cohorts.ts';
import { useTell } from '../imports/tell-tick.tsx';
import { RecordLink } from '../people/person-link.tsx';
import { tellSuccess } from '../refusal-toast.ts';
import { useMay } from '../role-gate.tsx';
import { StaffForm } from '../staff-form.tsx';
import { useProductChoices } from '../use-product-choices.ts';
import { useStaffForm } from '../use-staff-form.ts';
import { sayChosen } from './say-products.ts';
import { toAddress, useKnownUser } from './use-known-user.ts';

const EMPTY = {
  email: '',
  name: '',
  phone_number: '',
  product_ids: [] as string[],
  cohort_ids: [] as string[],
};

/** Form for a user. `onSaved` gets the id of the user that was saved. */
export function UserForm({ onSaved }: { onSaved: (key: string) => void }) {
  const { options } = useProductChoices();
  const cohorts = useCohorts();
  const tell = useTell(say('One mail, 10 minutes after saving. It has no code and no sign-in link.'));
  const { form, known, ask } = useUserForm(onSaved, tell.body);
  const { field } = form;
  const email = field('email');
  return (
    <StaffForm form={form} save={say('Save User')}>
      <div className={styles.fields}>
        <TextField
          {...email}
          label={say('Email')}
          type="email"
          required
          autoComplete="off"
          placeholder="learner@example.org"
          maxLength={255}
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
          maxLength={200}
        />
        <TextField
          {...field('phone_number')}
          label={say('Phone')}
          type="tel"
          optional
          autoComplete="off"
          maxLength={50}
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
          className={cohorts.options.length > 0 ? styles.full : undefined}
          // The products of a cohort are enough.
          required={form.values.cohort_ids.length === 0}
          prompt={say('Select products')}
          summary={sayChosen}
          options={options}
        />
      </div>
      {tell.tick}
      <div role="status" className={styles.status}>
        {known && <PersonExists user={known} />}
      </div>
    </StaffForm>
  );
}

function useUserForm(onSaved: (key: string) => void, tell: { tell?: boolean }) {
  const { known, ask, find, error } = useKnownUser();
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
    save: ({ cohort_ids = [], ...user }) => {
      const cohorts = cohort_ids.length > 0 && { cohort_ids };
      const body = { ...user, ...tell, user_role: 'user', ...cohorts };
      return call(saveUser, { body });
    },
    failed: say('Failed to create/update user'),
    onSaved: ({ message, user }) => {
      tellSuccess(message ? sayServed(message) : say('User created/updated successfully'));
      refreshLists('users');
      // A response without `user` is a success too. The empty id then highlights no row of the list.
      onSaved(user?.id ?? '');
    },
    onRestored: ({ email }) => ask(email),
  });
  const { noteRefusal } = form;
  // The search belongs to the form too: if it is refused for the role, the form stays with what was typed.
  useEffect(() => noteRefusal(error), [error, noteRefusal]);
  return { form, ask, known: known?.email === toAddress(form.values.email) ? known : undefined };
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
