// The form that adds a product (R-APROD-02 to R-APROD-04, R-VAL-10, R-VAL-11).
import { createProduct, newProduct } from '@portal/contract';
import { call } from '../../../api.ts';
import { productIdOf } from '../../../parts/product-id.ts';
import { Check } from '../../../ui/check.tsx';
import { say } from '../../../words/say.ts';
import styles from '../admin.module.css';
import { refreshLists } from '../changes.ts';
import { tellSuccess } from '../refusal-toast.ts';
import { StaffForm } from '../staff-form.tsx';
import { useFormId } from '../use-form-id.ts';
import { useStaffForm } from '../use-staff-form.ts';
import { EMPTY_TEXTS, ProductFields, sayRequired } from './product-fields.tsx';

/** Form for a new product. `onSaved` gets the id of the product that was saved. */
export function ProductForm({ onSaved }: { onSaved: (key: string) => void }) {
  const { withId, renew } = useFormId();
  const form = useStaffForm({
    start: { ...EMPTY_TEXTS, shared_coupon: false },
    required: sayRequired,
    schema: newProduct,
    save: (body) => call(createProduct, { body: withId(body) }),
    failed: say('Failed to create product'),
    onSaved: (product) => {
      renew();
      tellSuccess(say('Product created successfully'));
      refreshLists('products');
      onSaved(product ? productIdOf(product) : '');
    },
  });
  const { field } = form;
  return (
    <StaffForm form={form} save={say('Save Product')}>
      <ProductFields field={field}>
        <Check
          {...field('shared_coupon')}
          className={styles.full}
          label={say('Shared Coupon')}
          hint={say('Every learner gets the same code')}
        />
      </ProductFields>
    </StaffForm>
  );
}
