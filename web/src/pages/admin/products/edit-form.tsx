// The form that changes a product (R-LIFE-31).
import type { ProductRecord } from '@portal/contract';
import { Check } from '../../../ui/check.tsx';
import { ConfirmDialog } from '../../../ui/confirm-dialog.tsx';
import { DateField } from '../../../ui/date-field.tsx';
import { sayDay } from '../../../words/days.ts';
import { say, sayCount } from '../../../words/say.ts';
import admin from '../admin.module.css';
import { StaffForm } from '../staff-form.tsx';
import { ConflictBar } from './conflict-bar.tsx';
import { ProductFields } from './product-fields.tsx';
import styles from './product-page.module.css';
import { TheirsBar } from './theirs-bar.tsx';
import { useLeaveGuard } from './use-leave-guard.ts';
import { type EditedName, useProductEdit } from './use-product-edit.ts';

export const sayLabels = (): Record<EditedName, string> => ({
  name: say('Name'),
  url: say('URL'),
  description: say('Description'),
  page_title: say('Page Title'),
  header_text: say('Header Text'),
  instructions: say('Instructions'),
  opens_on: say('Redeeming opens'),
  closes_on: say('Redeeming closes'),
  use_by_default: say('Default last day for codes'),
});

export function EditForm({ record }: { record: ProductRecord }) {
  const { form, conflict, showTheirs, isChanged, theirs } = useProductEdit(record);
  const guard = useLeaveGuard(isChanged);
  const { field, values } = form;
  const labels = sayLabels();
  const below = (name: EditedName) => {
    const value = theirs[name];
    if (value === undefined) return null;
    const words = name.endsWith('_on') || name === 'use_by_default' ? value && sayDay(value) : value;
    return <TheirsBar label={labels[name]} words={words} onUse={() => field(name).onChange(value)} />;
  };
  return (
    <>
      <StaffForm form={form} save={say('Save Changes')} note={sayNote(record, isChanged)}>
        <ProductFields field={field} below={below}>
          <Check
            {...field('shared_coupon')}
            className={admin.full}
            label={say('Shared Coupon')}
            hint={say('Every learner gets the same code. This cannot be changed any more.')}
            disabled
          />
        </ProductFields>
        <div className={styles.days}>
          <div>
            <DateField
              {...field('opens_on')}
              label={labels.opens_on}
              hint={say('First day. Empty: at once.')}
              max={values.closes_on}
            />
            {below('opens_on')}
          </div>
          <div>
            <DateField
              {...field('closes_on')}
              label={labels.closes_on}
              hint={say('Last day. Empty: no end.')}
              min={values.opens_on}
            />
            {below('closes_on')}
          </div>
          <div>
            <DateField
              {...field('use_by_default')}
              label={labels.use_by_default}
              hint={say('For uploads without use_by.')}
            />
            {below('use_by_default')}
          </div>
        </div>
        {conflict && (
          <ConflictBar
            conflict={conflict}
            count={Object.keys(theirs).length}
            onShow={() => void showTheirs()}
          />
        )}
      </StaffForm>
      {/* HTML does not allow nested forms, so the dialog with its form is outside of this form. */}
      {guard.isAsking && (
        <ConfirmDialog
          title={say('Leave without saving?')}
          words={say('Your changes to {product} are not saved yet.', { product: record.name })}
          cancel={say('Stay')}
          confirm={say('Leave')}
          danger
          onCancel={guard.stay}
          onConfirm={guard.leave}
        />
      )}
    </>
  );
}

/**
 * Returns the note beside the Save button: changes are unsaved, or people with a code still see an archived product.
 * Returns undefined in all other cases.
 */
function sayNote({ status, held }: ProductRecord, isChanged: boolean): string | undefined {
  if (isChanged) return say('Unsaved changes');
  if (status !== 'archived' || held === 0) return undefined;
  return sayCount(held, {
    one: '{count} person who holds a code still sees these texts.',
    other: '{count} people who hold a code still see these texts.',
  });
}
