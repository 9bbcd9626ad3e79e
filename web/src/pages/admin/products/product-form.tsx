// The form that adds a product (R-APROD-02 to R-APROD-04, R-VAL-10, R-VAL-11).
import { newProduct } from '@portal/contract';
import { createProduct } from '../../../admin-calls.ts';
import { call } from '../../../api.ts';
import { productIdOf } from '../../../parts/product-id.ts';
import { Check } from '../../../ui/check.tsx';
import { TextArea } from '../../../ui/text-area.tsx';
import { TextField } from '../../../ui/text-field.tsx';
import { say } from '../../../words/say.ts';
import styles from '../admin.module.css';
import { refreshLists } from '../changes.ts';
import { tellSuccess } from '../refusal-toast.ts';
import { StaffForm } from '../staff-form.tsx';
import { useStaffForm } from '../use-staff-form.ts';

const EMPTY = {
  name: '',
  description: '',
  url: '',
  page_title: '',
  header_text: '',
  instructions: '',
  shared_coupon: false,
};

/** Form for a new product. `onSaved` gets the id of the product that was saved. */
export function ProductForm({ onSaved }: { onSaved: (key: string) => void }) {
  const form = useStaffForm({
    start: EMPTY,
    required: () => ({
      name: say('Enter a name'),
      url: say('Enter the address where learners redeem'),
      description: say('Enter a description'),
    }),
    schema: newProduct,
    save: (body) => call(createProduct, { body }),
    failed: say('Failed to create product'),
    onSaved: (product) => {
      tellSuccess(say('Product created successfully'));
      refreshLists('products');
      onSaved(product ? productIdOf(product) : '');
    },
  });
  const { field } = form;
  return (
    <StaffForm form={form} save={say('Save Product')}>
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
          {...field('shared_coupon')}
          className={styles.full}
          label={say('Shared Coupon')}
          hint={say('Every learner gets the same code')}
        />
      </div>
    </StaffForm>
  );
}
