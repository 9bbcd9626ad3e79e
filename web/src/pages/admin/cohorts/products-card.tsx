// The products that a cohort gives, with their days (R-COHORT-22).
import type { CohortRecord } from '@portal/contract';
import { setCohortDates } from '@portal/contract';
import { CalendarDays, Package, Plus } from 'lucide-react';
import { useState } from 'react';
import { Button } from '../../../ui/button.tsx';
import { Card } from '../../../ui/card.tsx';
import { type Column, cutWords } from '../../../ui/columns.ts';
import { DataTable } from '../../../ui/data-table.tsx';
import { Icon } from '../../../ui/icon.tsx';
import { NoRows } from '../../../ui/no-rows.tsx';
import { StateMark } from '../../../ui/state-mark.tsx';
import { sayDay } from '../../../words/days.ts';
import { say } from '../../../words/say.ts';
import { ProductMark } from '../product-mark.tsx';
import { ProductLink } from '../products/product-link.tsx';
import { useMay } from '../role-gate.tsx';
import { AddProductsDialog } from './add-products-dialog.tsx';
import { AllDatesDialog } from './all-dates-dialog.tsx';
import { type CohortGrant, isDatable, nameOf } from './cohort-grant.ts';
import styles from './cohorts.module.css';
import { GrantDatesDialog } from './grant-dates-dialog.tsx';
import { RemoveGrantDialog } from './remove-grant-dialog.tsx';

/** The dialog that is open. */
type Asked = { act: 'dates' | 'remove'; grant: CohortGrant } | { act: 'all-dates' | 'add' };

export function ProductsCard({ cohort }: { cohort: CohortRecord }) {
  const [asked, setAsked] = useState<Asked | null>(null);
  const { grants, archived } = cohort;
  const mayEdit = useMay()(setCohortDates) && !archived;
  const canDate = grants.some(isDatable);
  const props = { cohort, onClose: () => setAsked(null) };
  return (
    <Card
      title={say('Products')}
      action={
        mayEdit && (
          <div className={styles.buttons}>
            {canDate && (
              <Button size="sm" onClick={() => setAsked({ act: 'all-dates' })}>
                <Icon of={CalendarDays} size={16} />
                {say('Change all dates')}
              </Button>
            )}
            <Button size="sm" onClick={() => setAsked({ act: 'add' })}>
              <Icon of={Plus} size={16} />
              {say('Add products')}
            </Button>
          </div>
        )
      }
    >
      {grants.length > 0 ? (
        <DataTable
          className={styles.products}
          caption={say('Products')}
          columns={[...listColumns(), ...(mayEdit ? [actsColumn(setAsked)] : [])]}
          rows={grants}
          keyOf={({ id }) => id}
        />
      ) : (
        <NoRows icon={Package}>
          <p>{say('This cohort gives no product yet.')}</p>
        </NoRows>
      )}
      {asked?.act === 'dates' && <GrantDatesDialog {...props} grant={asked.grant} />}
      {asked?.act === 'remove' && <RemoveGrantDialog {...props} grant={asked.grant} />}
      {asked?.act === 'all-dates' && <AllDatesDialog {...props} />}
      {asked?.act === 'add' && <AddProductsDialog {...props} />}
    </Card>
  );
}

function listColumns(): Column<CohortGrant>[] {
  return [
    {
      label: say('Product'),
      as: 'strong',
      words: (grant) => cutWords(nameOf(grant), 40),
      draw: ({ product_id }, { text }) =>
        product_id === null ? (
          text
        ) : (
          <ProductMark id={product_id}>
            <ProductLink to={product_id}>{text}</ProductLink>
          </ProductMark>
        ),
    },
    {
      label: say('From'),
      as: 'line',
      words: ({ starts_on }) => ({ text: sayDay(starts_on) }),
      labelOnPhones: true,
    },
    {
      label: say('Until'),
      as: 'line',
      words: ({ ends_on }) => ({ text: ends_on === null ? '-' : sayDay(ends_on) }),
      labelOnPhones: true,
    },
    {
      label: say('State'),
      as: 'end',
      words: ({ state }) => ({ text: sayState(state) }),
      draw: ({ state }, { text }) => (
        <StateMark look={state === 'live' ? 'accent' : 'ring'}>{text}</StateMark>
      ),
    },
  ];
}

function actsColumn(ask: (asked: Asked) => void): Column<CohortGrant> {
  return {
    label: say('Actions'),
    labelHidden: true,
    as: 'line',
    right: true,
    wraps: true,
    words: () => ({ text: '' }),
    draw: (grant) => (
      <span className={styles.acts}>
        <Button
          size="sm"
          look="ghost"
          aria-label={say('Change dates of {product}', { product: nameOf(grant) })}
          onClick={() => ask({ act: 'dates', grant })}
        >
          {say('Change dates')}
        </Button>
        <Button
          size="sm"
          look="ghost"
          aria-label={say('Remove {name}', { name: nameOf(grant) })}
          onClick={() => ask({ act: 'remove', grant })}
        >
          {say('Remove')}
        </Button>
      </span>
    ),
  };
}

function sayState(state: CohortGrant['state']): string {
  if (state === 'live') return say('Live');
  if (state === 'future') return say('Future');
  return state === 'over' ? say('Over') : say('Archived');
}
