// The form that adds a coupon (R-ACPN-05 to R-ACPN-10, R-VAL-25, R-VAL-26).
import { createCoupon, newCoupon } from '@portal/contract';
import { call } from '../../../api.ts';
import { Select } from '../../../ui/select.tsx';
import { TextField } from '../../../ui/text-field.tsx';
import { say } from '../../../words/say.ts';
import { refreshLists } from '../changes.ts';
import { tellSuccess } from '../refusal-toast.ts';
import { StaffForm } from '../staff-form.tsx';
import { useProductChoices } from '../use-product-choices.ts';
import { useStaffForm } from '../use-staff-form.ts';

const SAMPLE_CODE = 'TQWL-7K4M-92XF';

/** Form for a new coupon. `onSaved` gets the id of the coupon that was saved. */
export function CouponForm({ onSaved }: { onSaved: (key: string) => void }) {
  const { options } = useProductChoices();
  const form = useStaffForm({
    start: { coupon_code: '', product_id: '' },
    required: () => ({
      coupon_code: say('Enter a coupon code'),
      product_id: say('Please select a product'),
    }),
    sayMissing: ({ product_id }) => product_id,
    schema: newCoupon,
    // This form has no field for the usage limit. JSON omits undefined values, so the request has no limit either.
    save: (coupon) => call(createCoupon, { body: { ...coupon, usage_limit: undefined } }),
    failed: say('Failed to create coupon'),
    refusedAt: { duplicate_code: 'coupon_code', product_not_found: 'product_id' },
    onSaved: (coupon) => {
      tellSuccess(say('Coupon created successfully'));
      refreshLists('coupons');
      onSaved(coupon?.id ?? '');
    },
  });
  const { field } = form;
  return (
    <StaffForm form={form} save={say('Save Coupon')}>
      <TextField
        {...field('coupon_code')}
        label={say('Coupon Code')}
        hint={say('Enter a unique coupon code')}
        placeholder={SAMPLE_CODE}
        mono
        required
        autoComplete="off"
        spellCheck={false}
        maxLength={255}
      />
      <Select
        {...field('product_id')}
        label={say('Product')}
        prompt={say('Select a product')}
        required
        options={options}
      />
    </StaffForm>
  );
}
