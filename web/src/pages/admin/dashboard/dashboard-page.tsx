// The admin dashboard: failed jobs, three counts with links, redemptions and stock (R-DASH-01 to R-DASH-03).

import { getStats, listFailedJobs } from '@portal/contract';
import { useQuery } from '@tanstack/react-query';
import { ArrowRight } from 'lucide-react';
import { Link } from 'wouter';
import { LoadError } from '../../../parts/load-error.tsx';
import { queryOf } from '../../../queries.ts';
import { Card } from '../../../ui/card.tsx';
import { CardBody } from '../../../ui/card-body.tsx';
import { Icon } from '../../../ui/icon.tsx';
import { Skeleton } from '../../../ui/skeleton.tsx';
import { sayNumber } from '../../../words/format.ts';
import { say } from '../../../words/say.ts';
import styles from '../admin.module.css';
import { RoleGate } from '../role-gate.tsx';
import own from './dashboard.module.css';
import { FailedJobsCard } from './failed-jobs-card.tsx';
import { RedemptionsCard } from './redemptions-card.tsx';
import { StockCard } from './stock-card.tsx';

export function DashboardPage() {
  const { data: stats, isError, refetch } = useQuery(queryOf(getStats));
  const shared = stats?.stock.filter(({ shared_coupon }) => shared_coupon).length;
  const coupons = stats?.coupons;
  return (
    <>
      <RoleGate to={listFailedJobs}>
        <FailedJobsCard />
      </RoleGate>
      <StatCard
        to="/admin/products"
        title={say('Products')}
        count={stats?.products}
        failed={isError}
        sub={shared ? say('{count} with a shared code', { count: sayNumber(shared) }) : ''}
      />
      <StatCard
        to="/admin/users"
        title={say('Users')}
        count={stats?.users}
        failed={isError}
        sub={say('learners and administrators')}
      />
      <StatCard
        to="/admin/coupons"
        title={say('Coupons')}
        count={coupons?.total}
        failed={isError}
        sub={
          coupons
            ? say('{available} available, {assigned} assigned', {
                available: sayNumber(coupons.available),
                assigned: sayNumber(coupons.assigned),
              })
            : ''
        }
      />
      {isError && (
        <Card title={say('Figures')}>
          <CardBody>
            <LoadError words={say('We could not load the figures.')} onRetry={() => void refetch()} />
          </CardBody>
        </Card>
      )}
      {!(stats || isError) && <ChartsLoading />}
      {stats && <RedemptionsCard className={styles.seven} days={stats.redemptions} />}
      {stats && <StockCard className={styles.five} stock={stats.stock} />}
    </>
  );
}

/** Shows placeholders of the same size as the loaded cards, so that the layout does not shift. */
function ChartsLoading() {
  return (
    <>
      <Card title={say('Redemptions')} sub={say('The last 30 days')} className={styles.seven}>
        <CardBody>
          <Skeleton className={own.chartPlace} />
        </CardBody>
      </Card>
      <Card
        title={say('Stock left')}
        sub={say('Unassigned codes per product, scarcest first')}
        className={styles.five}
      >
        <CardBody>
          <Skeleton className={own.chartPlace} />
        </CardBody>
      </Card>
    </>
  );
}

type StatCardProps = { to: string; title: string; count: number | undefined; failed: boolean; sub: string };

function StatCard({ to, title, count, failed, sub }: StatCardProps) {
  const figure = count === undefined ? undefined : sayNumber(count);
  return (
    <Link href={to} className={`${own.stat} ${styles.third}`}>
      <span className={own.statName}>
        {title}
        <Icon of={ArrowRight} size={16} />
      </span>
      <span className={own.figure}>
        {figure ?? (failed ? '–' : <Skeleton className={own.figurePlace} />)}
      </span>
      <span className={own.detail}>{sub}</span>
    </Link>
  );
}
