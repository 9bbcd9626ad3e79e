// Card with every code that a person holds or held (R-TRAIL-06, R-TRAIL-50).
import type { PersonCoupon, PersonRecord } from '@portal/contract';
import { Ticket } from 'lucide-react';
import { Card } from '../../../ui/card.tsx';
import type { Column } from '../../../ui/columns.ts';
import { DataTable } from '../../../ui/data-table.tsx';
import { NoRows } from '../../../ui/no-rows.tsx';
import { say } from '../../../words/say.ts';
import admin from '../admin.module.css';
import { StateLink, sayState } from '../coupons/coupon-state.tsx';
import { HiddenCode } from '../hidden-codes/hidden-code.tsx';
import { sayCode } from '../hidden-codes/say-code.ts';
import { type Reveals, useReveals } from '../hidden-codes/use-reveals.ts';
import { sayDayOf } from '../log/line-words.ts';
import { ProductLink } from '../products/product-link.tsx';
import { today } from '../today.ts';
import styles from './person.module.css';
import { sayCodeStory } from './person-words.ts';

export function PersonCodes({ record: { coupons } }: { record: PersonRecord }) {
  const reveals = useReveals();
  return (
    <Card title={say('Codes')} sub={say('Every code this person ever held')} className={admin.seven}>
      {coupons.length === 0 ? (
        <NoRows icon={Ticket}>
          <p>{say('No codes yet.')}</p>
        </NoRows>
      ) : (
        <DataTable
          caption={say('Codes')}
          columns={columnsWith(reveals)}
          rows={coupons}
          keyOf={({ id }) => id}
          className={styles.codes}
        />
      )}
    </Card>
  );
}

function columnsWith(reveals: Reveals): Column<PersonCoupon>[] {
  const day = today();
  const hidden = (coupon: PersonCoupon) => ({ ...coupon, coupon_code: reveals.shown.get(coupon.id) ?? null });
  return [
    {
      label: say('Coupon Code'),
      as: 'strong',
      mono: true,
      words: (coupon) => ({ text: sayCode(hidden(coupon)) }),
      // Every role that sees this page may see a code that somebody holds or held (R-IMP-42).
      draw: (coupon) => (
        <HiddenCode
          coupon={{ ...coupon, coupon_code: null }}
          reveals={reveals}
          struck={coupon.state === 'revoked'}
        />
      ),
    },
    {
      label: say('Product'),
      as: 'line',
      wraps: true,
      words: (coupon) => ({ text: `${coupon.product.name} ${sayCodeStory(coupon, day)}` }),
      draw: (coupon) => (
        <>
          <ProductLink to={coupon.product.product_id}>{coupon.product.name}</ProductLink>
          <span className={styles.sub}>{sayCodeStory(coupon, day)}</span>
        </>
      ),
    },
    {
      label: say('Assigned'),
      as: 'line',
      labelOnPhones: true,
      words: ({ assigned_at }) => ({ text: sayDayOf(assigned_at) }),
      draw: (_coupon, { text }) => <span className={styles.day}>{text}</span>,
    },
    {
      label: say('Status'),
      as: 'end',
      words: ({ state }) => ({ text: sayState(state) }),
      draw: (coupon) => <StateLink coupon={hidden(coupon)} />,
    },
  ];
}
