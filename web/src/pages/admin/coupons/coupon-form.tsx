// The form that adds a coupon (R-ACPN-05 to R-ACPN-10, R-VAL-25, R-VAL-26).
import { createCoupon } from '../../../admin-calls.ts';
import { call } from '../../../api.ts';
import { Select, TextField } from '../../../ui/form-field.tsx';
import { say } from '../../../words/say.ts';
import styles from '../admin.module.css';
import { refreshLists } from '../changes.ts';
import { FormFoot, TypedAgain } from '../form-parts.tsx';
import { tellMissing, tellRefusal, tellSuccess } from '../refusal-toast.ts';
import { type SavingForm, textOf, useForm } from '../use-form.ts';
import { useProductChoices } from '../use-product-choices.ts';

const sayNoProduct = () => say('Please select a product');
const SAMPLE_CODE = 'TQWL-7K4M-92XF';

const read = (data: FormData) => ({
  coupon_code: textOf(data, 'coupon_code'),
  product_id: textOf(data, 'product_id'),
});
type Values = ReturnType<typeof read>;

function check({ coupon_code, product_id }: Values) {
  return {
    ...(coupon_code === '' && { 'coupon-code': say('Enter a coupon code') }),
    ...(product_id === '' && { 'coupon-product': sayNoProduct() }),
  };
}

async function save(values: Values): Promise<string | null> {
  try {
    // The form has no input for a limit, and what is undefined is not sent.
    const coupon = await call(createCoupon, { body: { ...values, usage_limit: undefined } });
    tellSuccess(say('Coupon created successfully'));
    refreshLists('coupons');
    return coupon?.id ?? '';
  } catch (error) {
    tellRefusal(error, say('Failed to create coupon'));
    return null;
  }
}

export function CouponForm({ onSaved }: SavingForm) {
  const { options } = useProductChoices();
  const onMissing = (missing: ReturnType<typeof check>) =>
    tellMissing('coupon-product' in missing ? sayNoProduct() : undefined);
  const { form, busy, problems, submit, onClear } = useForm({ read, check, onMissing, save, onSaved });
  return (
    <form ref={form} className={styles.form} noValidate onSubmit={(event) => void submit(event)}>
      <TypedAgain onClear={onClear} />
      <TextField
        id="coupon-code"
        name="coupon_code"
        label={say('Coupon Code')}
        hint={say('Enter a unique coupon code')}
        placeholder={SAMPLE_CODE}
        mono
        required
        autoComplete="off"
        spellCheck={false}
        maxLength={255}
        readOnly={busy}
        error={problems['coupon-code'] ?? null}
      />
      <Select
        id="coupon-product"
        name="product_id"
        label={say('Product')}
        prompt={say('Select a product')}
        required
        options={options}
        error={problems['coupon-product'] ?? null}
      />
      <FormFoot busy={busy} onClear={onClear} save={say('Save Coupon')} />
    </form>
  );
}
