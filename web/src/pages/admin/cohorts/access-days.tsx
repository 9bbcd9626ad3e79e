// Two fields of a form: the first and the last day of access.
import { DateField } from '../../../ui/date-field.tsx';
import { say } from '../../../words/say.ts';
import act from '../users/act-dialog.module.css';

/** `ends_on` is '' if the access has no last day. */
export type Days = { starts_on: string; ends_on: string };

type DayField = { name: string; value: string; error: string | undefined; onChange: (value: string) => void };

const DAY = /^\d{4}-\d\d-\d\d$/;

/** Returns an error for each invalid day. */
export function checkDays({ starts_on, ends_on }: Days): Partial<Days> {
  if (!DAY.test(starts_on)) return { starts_on: say('Enter a day') };
  if (ends_on !== '' && !DAY.test(ends_on)) return { ends_on: say('Enter a day, or leave it empty') };
  if (ends_on !== '' && ends_on < starts_on) return { ends_on: say('The last day is before the first.') };
  return {};
}

export function AccessDays({ form }: { form: { field: (name: keyof Days) => DayField; values: Days } }) {
  return (
    <div className={act.days}>
      <DateField {...form.field('starts_on')} label={say('Access from')} required max={form.values.ends_on} />
      <DateField
        {...form.field('ends_on')}
        label={say('Access until')}
        hint={say('Last day. Empty: no end.')}
        min={form.values.starts_on}
      />
    </div>
  );
}
