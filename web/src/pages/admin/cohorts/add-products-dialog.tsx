// Dialog that gives products to a cohort (R-COHORT-22).
import type { CohortRecord } from '@portal/contract';
import { createGrants } from '@portal/contract';
import { call } from '../../../api.ts';
import { ConfirmDialog } from '../../../ui/confirm-dialog.tsx';
import { MultiSelect } from '../../../ui/multi-select.tsx';
import { useForm } from '../../../ui/use-form.ts';
import { say, sayCount } from '../../../words/say.ts';
import { refreshLists } from '../changes.ts';
import { tellRefusal, tellSuccess } from '../refusal-toast.ts';
import { useRoleRefusal } from '../role-gate.tsx';
import { today } from '../today.ts';
import { useProductChoices } from '../use-product-choices.ts';
import { sayChosen } from '../users/say-products.ts';
import { AccessDays, checkDays } from './access-days.tsx';
import { findUsualDays, isDatable } from './cohort-grant.ts';

type AddProductsDialogProps = { cohort: CohortRecord; onClose: () => void };

export function AddProductsDialog({ cohort, onClose }: AddProductsDialogProps) {
  const given = cohort.grants.filter(isDatable);
  const { options } = useProductChoices();
  const { isOff, noteRefusal } = useRoleRefusal();
  // A further product usually has the same days as the others.
  const days = given.length > 0 ? findUsualDays(given) : { starts_on: today(), ends_on: '' };
  const form = useForm({ product_ids: [] as string[], ...days }, async ({ product_ids, ...chosen }) => {
    const problems = {
      ...(product_ids.length === 0 && { product_ids: say('Select at least one product') }),
      ...checkDays(chosen),
    };
    if (Object.keys(problems).length > 0) return problems;
    const { cohort_id } = cohort;
    const body = { cohort_id, product_ids, starts_on: chosen.starts_on, ends_on: chosen.ends_on || null };
    try {
      const { grants } = await call(createGrants, { body });
      onClose();
      tellSuccess(
        sayCount(grants.length, {
          one: 'The cohort gives {count} more product',
          other: 'The cohort gives {count} more products',
        }),
      );
      refreshLists('users');
    } catch (error) {
      noteRefusal(error);
      tellRefusal(error, say('Failed to add the products'));
    }
    return {};
  });
  return (
    <ConfirmDialog
      isForm
      title={say('Add products')}
      words={say('Everybody in the cohort gets them, and whoever joins later.')}
      confirm={say('Add products')}
      busy={form.busy}
      isOff={isOff}
      formRef={form.props.ref}
      onCancel={onClose}
      onConfirm={form.props.onSubmit}
    >
      <MultiSelect
        {...form.field('product_ids')}
        label={say('Products')}
        required
        prompt={say('Select products')}
        summary={sayChosen}
        options={options.filter(({ value }) => given.every(({ product_id }) => product_id !== value))}
      />
      <AccessDays form={form} />
    </ConfirmDialog>
  );
}
