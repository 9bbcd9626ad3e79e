// The form that adds a user, or gives one more products (R-AUSER-02 to R-AUSER-04, R-VAL-16 to R-VAL-18).
import { useState } from 'react';
import { saveUser } from '../../../admin-calls.ts';
import { call } from '../../../api.ts';
import { Button } from '../../../ui/button.tsx';
import { TextField } from '../../../ui/form-field.tsx';
import { MultiSelect } from '../../../ui/multi-select.tsx';
import { say, sayServed } from '../../../words/say.ts';
import styles from '../admin.module.css';
import { refreshLists } from '../changes.ts';
import { tellMissing, tellRefusal, tellSuccess } from '../refusal-toast.ts';
import { type SavingForm, textOf, useForm } from '../use-form.ts';
import { useProductChoices } from '../use-product-choices.ts';
import { sayChosen } from './say-products.ts';

export function UserForm({ onSaved }: SavingForm) {
  const { options } = useProductChoices();
  const [chosen, setChosen] = useState<string[]>([]);

  const read = (data: FormData) => ({
    email: textOf(data, 'email').toLowerCase(),
    name: textOf(data, 'name'),
    phone_number: textOf(data, 'phone_number') || null,
    product_ids: chosen,
    user_role: 'user',
  });
  type Values = ReturnType<typeof read>;
  const check = ({ email, name, product_ids }: Values) => ({
    ...(email === '' && { 'user-email': say('Enter an email address') }),
    ...(name === '' && { 'user-name': say('Enter a name') }),
    ...(product_ids.length === 0 && { 'user-products': say('Select at least one product') }),
  });
  const save = async (body: Values) => {
    try {
      const { message, user } = await call(saveUser, { body });
      tellSuccess(message ? sayServed(message) : say('User created/updated successfully'));
      setChosen([]);
      refreshLists('users');
      // A server that says less has saved the user all the same.
      return user?.id ?? '';
    } catch (error) {
      tellRefusal(error, say('Failed to create/update user'));
      return null;
    }
  };
  const order = { read, check, onMissing: () => tellMissing(), save, onSaved };
  const { form, busy, problems, submit } = useForm(order);
  const field = (name: string) => ({
    id: `user-${name}`,
    name,
    readOnly: busy,
    autoComplete: 'off',
    error: problems[`user-${name}`] ?? null,
  });
  return (
    <form ref={form} className={styles.form} noValidate onSubmit={(event) => void submit(event)}>
      <div className={styles.fields}>
        <TextField
          {...field('email')}
          label={say('Email')}
          type="email"
          required
          placeholder="learner@example.org"
          maxLength={255}
        />
        <TextField {...field('name')} label={say('Name')} required maxLength={200} />
        <TextField {...field('phone_number')} label={say('Phone')} type="tel" optional maxLength={50} />
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
      <div className={styles.foot}>
        <Button look="primary" type="submit" busy={busy}>
          {busy ? say('Saving...') : say('Save User')}
        </Button>
      </div>
    </form>
  );
}
