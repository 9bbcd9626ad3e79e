// The texts and days of a product, for members who may not change them (R-TEAM-31).
import type { ProductRecord } from '@portal/contract';
import { classes } from '../../../ui/classes.ts';
import { sayDay } from '../../../words/days.ts';
import { say } from '../../../words/say.ts';
import admin from '../admin.module.css';
import { sayLabels } from './edit-form.tsx';
import styles from './product-page.module.css';
import type { EditedName } from './use-product-edit.ts';

/** The names of days in `ProductRecord`; all other fields are texts. */
const DAYS = ['opens_on', 'closes_on', 'use_by_default'];
/** Texts over the whole width, as in the form. */
const LONG = ['description', 'instructions'];

export function ProductFacts({ record }: { record: ProductRecord }) {
  const labels = Object.entries(sayLabels()) as [EditedName, string][];
  return (
    <dl className={classes(admin.fields, styles.texts)}>
      {labels.map(([name, label]) => {
        const value = record[name];
        return (
          <div key={name} className={LONG.includes(name) ? admin.full : undefined}>
            <dt>{label}</dt>
            <dd dir="auto">{value ? (DAYS.includes(name) ? sayDay(value) : value) : '-'}</dd>
          </div>
        );
      })}
      <div>
        <dt>{say('Shared Coupon')}</dt>
        <dd>{record.shared_coupon ? say('Yes') : say('No')}</dd>
      </div>
    </dl>
  );
}
