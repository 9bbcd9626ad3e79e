// The form that adds a cohort and gives it products (R-COHORT-11).
import { createCohort, newCohort } from '@portal/contract';
import { call } from '../../../api.ts';
import { DateField } from '../../../ui/date-field.tsx';
import { MultiSelect } from '../../../ui/multi-select.tsx';
import { TextField } from '../../../ui/text-field.tsx';
import { say } from '../../../words/say.ts';
import { refreshLists } from '../changes.ts';
import { tellSuccess } from '../refusal-toast.ts';
import { StaffForm } from '../staff-form.tsx';
import { today } from '../today.ts';
import { useProductChoices } from '../use-product-choices.ts';
import { useStaffForm } from '../use-staff-form.ts';
import { sayChosen } from '../users/say-products.ts';
import { NAME_MAX } from './cohort-words.ts';
import styles from './cohorts.module.css';

/** `onSaved` gets the id of the cohort that was created. */
export function CohortForm({ onSaved }: { onSaved: (key: string) => void }) {
  const { options } = useProductChoices();
  const form = useCohortForm(onSaved);
  const { field } = form;
  return (
    <StaffForm form={form} save={say('Create Cohort')}>
      <div className={styles.fields}>
        <TextField
          {...field('name')}
          label={say('Name')}
          required
          autoComplete="off"
          placeholder={say('Spring 2026')}
          maxLength={NAME_MAX}
        />
        <MultiSelect
          {...field('product_ids')}
          id="cohort-products"
          label={say('Products')}
          prompt={say('Select products')}
          summary={sayChosen}
          options={options}
        />
        <DateField {...field('starts_on')} label={say('Access from')} max={form.values.ends_on} />
        <DateField
          {...field('ends_on')}
          label={say('Access until')}
          hint={say('Last day. Empty: no end.')}
          min={form.values.starts_on}
        />
      </div>
    </StaffForm>
  );
}

function useCohortForm(onSaved: (key: string) => void) {
  return useStaffForm({
    start: { name: '', note: '', product_ids: [] as string[], starts_on: today(), ends_on: '' },
    required: () => ({ name: say('Enter a name') }),
    schema: newCohort,
    save: (body) => call(createCohort, { body }),
    failed: say('Failed to create cohort'),
    refusedAt: { duplicate_name: 'name' },
    sayInvalid: {
      starts_on: say('Enter a complete day'),
      ends_on: say('Enter a complete day, not before the first'),
    },
    onSaved: ({ cohort_id }) => {
      tellSuccess(say('Cohort created'));
      refreshLists('users');
      onSaved(cohort_id);
    },
  });
}
