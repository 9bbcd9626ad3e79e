// The form that adds a user, or gives one more products (R-AUSER-02 to R-AUSER-04, R-VAL-16 to R-VAL-18).
import type { AppUser } from '@portal/contract';
import { queryOptions, useQuery, useQueryClient } from '@tanstack/react-query';
import { User } from 'lucide-react';
import { useState } from 'react';
import { listUsers, saveUser } from '../../../admin-calls.ts';
import { call } from '../../../api.ts';
import { TextField } from '../../../ui/form-field.tsx';
import { isolate } from '../../../ui/isolate.ts';
import { MultiSelect } from '../../../ui/multi-select.tsx';
import { Notice } from '../../../ui/notice.tsx';
import { say, sayServed } from '../../../words/say.ts';
import styles from '../admin.module.css';
import { refreshLists } from '../changes.ts';
import { FormFoot, TypedAgain } from '../form-parts.tsx';
import { tellMissing, tellRefusal, tellSuccess } from '../refusal-toast.ts';
import type { Fields } from '../typed.ts';
import { type SavingForm, textOf, useForm } from '../use-form.ts';
import { useProductChoices } from '../use-product-choices.ts';
import { sayChosen } from './say-products.ts';

export function UserForm({ onSaved }: SavingForm) {
  const { options } = useProductChoices();
  const { form, busy, problems, submit, onClear, chosen, setChosen, known, ask } = useUserForm(onSaved);
  const field = (name: string) => ({
    id: `user-${name}`,
    name,
    readOnly: busy,
    autoComplete: 'off',
    error: problems[`user-${name}`] ?? null,
  });
  return (
    <form ref={form} className={styles.form} noValidate onSubmit={(event) => void submit(event)}>
      <TypedAgain onClear={onClear} />
      <div className={styles.fields}>
        <TextField
          {...field('email')}
          label={say('Email')}
          type="email"
          required
          placeholder="learner@example.org"
          maxLength={255}
          onChange={() => ask('')}
          onBlur={({ target }) => ask(target.validity.valid ? target.value : '')}
        />
        <TextField
          {...field('name')}
          label={say('Name')}
          required={!known}
          optional={!!known}
          maxLength={200}
        />
        <TextField {...field('phone_number')} label={say('Phone')} type="tel" optional maxLength={50} />
        <input type="hidden" name="product_ids" value={chosen.join(' ')} />
        <MultiSelect
          id="user-products"
          label={say('Products')}
          required
          prompt={say('Select products')}
          summary={sayChosen}
          options={options}
          chosen={chosen}
          onChange={setChosen}
          error={problems['user-products'] ?? null}
        />
      </div>
      <div role="status" className={styles.status}>
        {known && <PersonExists name={known.name || known.email} />}
      </div>
      <FormFoot busy={busy} onClear={onClear} save={say('Save User')} />
    </form>
  );
}

function useUserForm(onSaved: SavingForm['onSaved']) {
  const [chosen, setChosen] = useState<string[]>([]);
  const { known, ask, find } = useKnownUser();

  const read = (data: FormData) => ({
    email: textOf(data, 'email').toLowerCase(),
    name: textOf(data, 'name') || null,
    phone_number: textOf(data, 'phone_number') || null,
    product_ids: chosen,
    user_role: 'user',
  });
  type Values = ReturnType<typeof read>;
  // The form may be sent before the address is left, or before it is known whose it is.
  const check = async ({ email, name, product_ids }: Values) => ({
    ...(email === '' && { 'user-email': say('Enter an email address') }),
    ...(name === null && !(await find(email)) && { 'user-name': say('Enter a name') }),
    ...(product_ids.length === 0 && { 'user-products': say('Select at least one product') }),
  });
  const save = async (body: Values) => {
    try {
      const { message, user } = await call(saveUser, { body });
      tellSuccess(message ? sayServed(message) : say('User created/updated successfully'));
      refreshLists('users');
      // A server that says less has saved the user all the same.
      return user?.id ?? '';
    } catch (error) {
      tellRefusal(error, say('Failed to create/update user'));
      return null;
    }
  };
  const clear = () => {
    setChosen([]);
    ask('');
  };
  const restore = (fields: Fields) => {
    const { email = '', product_ids = '' } = Object.fromEntries(fields);
    setChosen(product_ids.split(' ').filter(Boolean));
    ask(email);
  };
  const order = { read, check, onMissing: () => tellMissing(), save, onSaved, clear, restore };
  return { ...useForm(order), chosen, setChosen, known, ask };
}

/** Who has the address that was typed and left, if the portal knows it. */
function useKnownUser() {
  const queries = useQueryClient();
  const [email, setEmail] = useState('');
  const { data } = useQuery({ ...usersFrom(email), enabled: email !== '' });
  const ask = (typed: string) => setEmail(typed.trim().toLowerCase());
  const pick = (users: AppUser[] | null | undefined, typed: string) =>
    users?.find((user) => user.email === typed);
  const find = async (typed: string) => {
    ask(typed);
    if (typed === '') return undefined;
    return pick(await queries.fetchQuery(usersFrom(typed)).catch(() => null), typed);
  };
  return { known: pick(data, email), ask, find };
}

/** The first user whose address begins so: the one who has just this address, if there is one by now. */
function usersFrom(q: string) {
  const query = new URLSearchParams({ q, limit: '1' });
  return queryOptions<AppUser[]>({ queryKey: [`${listUsers.path}?${query}`], staleTime: 0 });
}

function PersonExists({ name }: { name: string }) {
  return (
    <Notice icon={User}>
      <strong className="font-medium">
        {say('This person exists: {name}. Saving adds the products.', { name: isolate(name) })}
      </strong>
      <br />
      {say('A name or phone number that you type replaces the old one; one left empty stays.')}
    </Notice>
  );
}
