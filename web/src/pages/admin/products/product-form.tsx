// The form that adds a product (R-APROD-02 to R-APROD-04, R-VAL-10, R-VAL-11).
import { createProduct } from '../../../admin-calls.ts';
import { call } from '../../../api.ts';
import { productIdOf } from '../../../parts/product-id.ts';
import { Check, TextArea, TextField } from '../../../ui/form-field.tsx';
import { say } from '../../../words/say.ts';
import styles from '../admin.module.css';
import { refreshLists } from '../changes.ts';
import { FormFoot, TypedAgain } from '../form-parts.tsx';
import { tellMissing, tellRefusal, tellSuccess } from '../refusal-toast.ts';
import { type SavingForm, textOf, useForm } from '../use-form.ts';

const read = (data: FormData) => ({
  name: textOf(data, 'name'),
  description: textOf(data, 'description'),
  url: textOf(data, 'url'),
  page_title: textOf(data, 'page_title') || null,
  header_text: textOf(data, 'header_text') || null,
  instructions: textOf(data, 'instructions') || null,
  shared_coupon: data.has('shared_coupon'),
});
type Values = ReturnType<typeof read>;

function check({ name, url, description }: Values) {
  return {
    ...(name === '' && { 'product-name': say('Enter a name') }),
    ...(url === '' && { 'product-url': say('Enter the address where learners redeem') }),
    ...(description === '' && { 'product-description': say('Enter a description') }),
  };
}

async function save(body: Values): Promise<string | null> {
  try {
    const product = await call(createProduct, { body });
    tellSuccess(say('Product created successfully'));
    refreshLists('products');
    return product ? productIdOf(product) : '';
  } catch (error) {
    tellRefusal(error, say('Failed to create product'));
    return null;
  }
}

export function ProductForm({ onSaved }: SavingForm) {
  const order = { read, check, onMissing: () => tellMissing(), save, onSaved };
  const { form, busy, problems, submit, onClear } = useForm(order);
  const field = (name: string) => ({
    id: `product-${name}`,
    name,
    readOnly: busy,
    error: problems[`product-${name}`] ?? null,
  });
  return (
    <form ref={form} className={styles.form} noValidate onSubmit={(event) => void submit(event)}>
      <TypedAgain onClear={onClear} />
      <div className={styles.fields}>
        <TextField {...field('name')} label={say('Name')} required maxLength={200} />
        <TextField
          {...field('url')}
          label={say('URL')}
          required
          inputMode="url"
          placeholder="https://"
          maxLength={2048}
        />
        <TextArea
          {...field('description')}
          className={styles.full}
          label={say('Description')}
          required
          rows={3}
          maxLength={5000}
        />
        <TextField {...field('page_title')} label={say('Page Title')} optional maxLength={200} />
        <TextField {...field('header_text')} label={say('Header Text')} optional maxLength={500} />
        <TextArea
          {...field('instructions')}
          className={styles.full}
          label={say('Instructions')}
          optional
          rows={3}
          maxLength={10_000}
          hint={say('One step per line. Web links become clickable.')}
        />
        <Check
          id="product-shared_coupon"
          name="shared_coupon"
          className={styles.full}
          label={say('Shared Coupon')}
          hint={say('Every learner gets the same code')}
        />
      </div>
      <FormFoot busy={busy} onClear={onClear} save={say('Save Product')} />
    </form>
  );
}
