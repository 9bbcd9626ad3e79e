// Shows the codes redeemed per day, as a chart of thirty days or as a table.

import { exportRedemptions } from '@portal/contract';
import { Table2 } from 'lucide-react';
import { useState } from 'react';
import { Button } from '../../../ui/button.tsx';
import { Card } from '../../../ui/card.tsx';
import { CardBody } from '../../../ui/card-body.tsx';
import type { Column } from '../../../ui/columns.ts';
import { DataTable } from '../../../ui/data-table.tsx';
import { Icon } from '../../../ui/icon.tsx';
import { sayNumber } from '../../../words/format.ts';
import { say } from '../../../words/say.ts';
import { DownloadButton } from '../exports/download-button.tsx';
import styles from './dashboard.module.css';
import { type Day, sayDay, totalOf } from './days.ts';
import { RedemptionsChart } from './redemptions-chart.tsx';

const listColumns = (): Column<Day>[] => [
  { label: say('Day'), as: 'strong', words: ({ day }) => ({ text: sayDay(day, true) }) },
  { label: say('Redemptions'), as: 'end', words: ({ count }) => ({ text: sayNumber(count) }) },
];

export function RedemptionsCard({ days, className }: { days: Day[]; className: string | undefined }) {
  const [asTable, setAsTable] = useState(false);
  return (
    <Card
      title={say('Redemptions')}
      sub={say('{total} in the last {days} days', {
        total: sayNumber(totalOf(days)),
        days: sayNumber(days.length),
      })}
      className={className}
      action={
        <div className={styles.acts}>
          <DownloadButton
            name="redemptions.csv"
            look="ghost"
            choices={[{ label: say('All redemptions'), hint: '', address: exportRedemptions.path }]}
          />
          <Button size="sm" look="ghost" aria-pressed={asTable} onClick={() => setAsTable(!asTable)}>
            <Icon of={Table2} size={16} />
            {say('View as table')}
          </Button>
        </div>
      }
    >
      <CardBody>
        {asTable ? (
          // The rows cannot have the focus, so the section needs it: keyboard users must be able to scroll.
          // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region
          <section className={styles.table} aria-label={say('Redemptions per day')} tabIndex={0}>
            <DayTable days={days} />
          </section>
        ) : (
          <>
            <RedemptionsChart days={days} />
            <div className="sr-only">
              <DayTable days={days} />
            </div>
          </>
        )}
      </CardBody>
    </Card>
  );
}

function DayTable({ days }: { days: Day[] }) {
  return (
    <DataTable
      plain
      caption={say('Redemptions per day')}
      columns={listColumns()}
      rows={days.toReversed()}
      keyOf={({ day }) => day}
    />
  );
}
