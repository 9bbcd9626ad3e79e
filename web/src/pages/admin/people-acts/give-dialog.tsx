// Dialog that gives products to the selected people, directly and not by a cohort (R-IMP-30).
import { ConfirmDialog } from '../../../ui/confirm-dialog.tsx';
import { MultiSelect } from '../../../ui/multi-select.tsx';
import { useForm } from '../../../ui/use-form.ts';
import { say, sayCount } from '../../../words/say.ts';
import { AccessDays, checkDays } from '../cohorts/access-days.tsx';
import { today } from '../today.ts';
import { CountChanged } from '../uploads/count-changed.tsx';
import { useProductChoices } from '../use-product-choices.ts';
import { sayChosen } from '../users/say-products.ts';
import { sayMorePeople } from './people-words.ts';
import { type UsersActProps, useUsersAct } from './use-users-act.ts';

export function GiveDialog(props: UsersActProps) {
  const { options } = useProductChoices();
  const { count, before, isOff, isCounting, start } = useUsersAct(props, say('Failed to give the products'));
  const empty = { product_ids: [] as string[], starts_on: today(), ends_on: '' };
  const form = useForm(empty, async ({ product_ids, ...days }) => {
    const problems = {
      ...(product_ids.length === 0 && { product_ids: say('Select at least one product') }),
      ...checkDays(days),
    };
    if (Object.keys(problems).length > 0) return problems;
    await start({ act: 'grant', product_ids, starts_on: days.starts_on, ends_on: days.ends_on || null });
    return {};
  });
  return (
    <ConfirmDialog
      isForm
      title={sayCount(count, {
        one: 'Give products to {count} person',
        other: 'Give products to {count} people',
      })}
      words={say('They get the products directly, and keep them when they leave a cohort.')}
      confirm={sayCount(count, { one: 'Give to {count} person', other: 'Give to {count} people' })}
      busy={form.busy}
      isOff={isOff}
      disabled={isCounting}
      formRef={form.props.ref}
      onCancel={props.onClose}
      onConfirm={form.props.onSubmit}
    >
      <CountChanged now={count} before={before} sayChange={sayMorePeople} />
      <MultiSelect
        {...form.field('product_ids')}
        label={say('Products')}
        required
        prompt={say('Select products')}
        summary={sayChosen}
        options={options}
      />
      <AccessDays form={form} />
    </ConfirmDialog>
  );
}
