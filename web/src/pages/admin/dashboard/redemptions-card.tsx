// Codes redeemed a day: thirty bars, or the same as a table.
import type { getStats, ReplyOf } from '@portal/contract';
import { Table2 } from 'lucide-react';
import { useState } from 'react';
import { Button } from '../../../ui/button.tsx';
import { Card, CardBody } from '../../../ui/card.tsx';
import { type Column, DataTable } from '../../../ui/data-table.tsx';
import { Icon } from '../../../ui/icon.tsx';
import { sayDay } from './chart-scale.ts';
import styles from './dashboard.module.css';
import { RedemptionsChart } from './redemptions-chart.tsx';

export type Day = ReplyOf<typeof getStats>['redemptions'][number];

const COLUMNS: Column<Day>[] = [
  { label: 'Day', as: 'strong', words: ({ day }) => ({ text: sayDay(day, true) }) },
  { label: 'Redemptions', as: 'end', words: ({ count }) => ({ text: count.toLocaleString() }) },
];

export function RedemptionsCard({ days, className }: { days: Day[]; className: string | undefined }) {
  const [asTable, setAsTable] = useState(false);
  const total = days.reduce((sum, { count }) => sum + count, 0);
  return (
    <Card
      title="Redemptions"
      sub={`${total.toLocaleString()} in the last ${days.length} days`}
      className={className}
      action={
        <Button size="sm" look="ghost" aria-pressed={asTable} onClick={() => setAsTable(!asTable)}>
          <Icon of={Table2} size={16} />
          View as table
        </Button>
      }
    >
      <CardBody>
        {asTable ? (
          <section className={styles.table} aria-label="Redemptions per day">
            <DataTable
              plain
              caption="Redemptions per day"
              columns={COLUMNS}
              rows={days.toReversed()}
              keyOf={({ day }) => day}
            />
          </section>
        ) : (
          <RedemptionsChart days={days} total={total} />
        )}
      </CardBody>
    </Card>
  );
}
