// The form that adds a coupon (R-ACPN-05 to R-ACPN-10, R-VAL-25, R-VAL-26).
import { createCoupon } from '../../../admin-calls.ts';
import { call } from '../../../api.ts';
import { Button } from '../../../ui/button.tsx';
import { Select, TextField } from '../../../ui/form-field.tsx';
import styles from '../admin.module.css';
import { refreshLists } from '../changes.ts';
import { tellMissing, tellRefusal, tellSuccess } from '../refusal-toast.ts';
import { type SavingForm, textOf, useForm } from '../use-form.ts';
import { useProductChoices } from '../use-product-choices.ts';

const NO_PRODUCT = 'Please select a product';
const SAMPLE_CODE = 'TQWL-7K4M-92XF';

const read = (data: FormData) => ({
  coupon_code: textOf(data, 'coupon_code'),
  product_id: textOf(data, 'product_id'),
});
type Values = ReturnType<typeof read>;

function check({ coupon_code, product_id }: Values) {
  return {
    ...(coupon_code === '' && { 'coupon-code': 'Enter a coupon code' }),
    ...(product_id === '' && { 'coupon-product': NO_PRODUCT }),
  };
}

async function save(values: Values): Promise<string | null> {
  try {
    // The form has no input for a limit, and what is undefined is not sent.
    const coupon = await call(createCoupon, { body: { ...values, usage_limit: undefined } });
    tellSuccess('Coupon created successfully');
    refreshLists('coupons');
    return coupon?.id ?? '';
  } catch (error) {
    tellRefusal(error, 'Failed to create coupon');
    return null;
  }
}

export function CouponForm({ onSaved }: SavingForm) {
  const { options } = useProductChoices();
  const onMissing = (missing: ReturnType<typeof check>) =>
    tellMissing('coupon-product' in missing ? NO_PRODUCT : undefined);
  const { form, busy, problems, submit } = useForm({ read, check, onMissing, save, onSaved });
  return (
    <form ref={form} className={styles.form} noValidate onSubmit={(event) => void submit(event)}>
      <TextField
        id="coupon-code"
        name="coupon_code"
        label="Coupon Code"
        hint="Enter a unique coupon code"
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
        label="Product"
        prompt="Select a product"
        required
        options={options}
        error={problems['coupon-product'] ?? null}
      />
      <div className={styles.foot}>
        <Button look="primary" type="submit" busy={busy}>
          {busy ? 'Saving...' : 'Save Coupon'}
        </Button>
      </div>
    </form>
  );
}
