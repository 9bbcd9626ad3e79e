// The dashboard: three ways on with their figures, and how the codes are doing (R-DASH-01 to R-DASH-03).
import { useQuery } from '@tanstack/react-query';
import { ArrowRight } from 'lucide-react';
import { Link } from 'wouter';
import { getStats } from '../../../admin-calls.ts';
import { LoadError } from '../../../parts/load-error.tsx';
import { queryOf } from '../../../queries.ts';
import { Card, CardBody } from '../../../ui/card.tsx';
import { Icon } from '../../../ui/icon.tsx';
import { Skeleton } from '../../../ui/skeleton.tsx';
import styles from '../admin.module.css';
import own from './dashboard.module.css';
import { RedemptionsCard } from './redemptions-card.tsx';
import { StockCard } from './stock-card.tsx';

export function DashboardPage() {
  const { data: stats, isError, refetch } = useQuery(queryOf(getStats));
  const shared = stats?.stock.filter(({ shared_coupon }) => shared_coupon).length;
  const coupons = stats?.coupons;
  return (
    <>
      <StatCard
        to="/admin/products"
        name="Products"
        count={stats?.products}
        failed={isError}
        detail={shared ? `${shared.toLocaleString()} with a shared code` : ''}
      />
      <StatCard
        to="/admin/users"
        name="Users"
        count={stats?.users}
        failed={isError}
        detail="learners and administrators"
      />
      <StatCard
        to="/admin/coupons"
        name="Coupons"
        count={coupons?.total}
        failed={isError}
        detail={
          coupons
            ? `${(coupons.total - coupons.assigned).toLocaleString()} available, ${coupons.assigned.toLocaleString()} assigned`
            : ''
        }
      />
      {isError && (
        <Card title="Figures">
          <CardBody>
            <LoadError what="the figures" onRetry={() => void refetch()} />
          </CardBody>
        </Card>
      )}
      {!(stats || isError) && <ChartsLoading />}
      {stats && <RedemptionsCard className={styles.seven} days={stats.redemptions} />}
      {stats && <StockCard className={styles.five} stock={stats.stock} />}
    </>
  );
}

/** Of the same size as what comes, so that nothing moves then. */
function ChartsLoading() {
  return (
    <>
      <Card title="Redemptions" sub="The last 30 days" className={styles.seven}>
        <CardBody>
          <Skeleton className="h-full min-h-87" />
        </CardBody>
      </Card>
      <Card title="Stock left" sub="Unassigned codes per product, scarcest first" className={styles.five}>
        <CardBody>
          <Skeleton className="h-full min-h-87" />
        </CardBody>
      </Card>
    </>
  );
}

type StatCardProps = { to: string; name: string; count: number | undefined; failed: boolean; detail: string };

function StatCard({ to, name, count, failed, detail }: StatCardProps) {
  return (
    <Link href={to} className={`${own.stat} ${styles.third}`}>
      <span className={own.statName}>
        {name}
        <Icon of={ArrowRight} size={16} />
      </span>
      <span className={own.figure}>
        {count?.toLocaleString() ?? (failed ? '–' : <Skeleton className="h-11 w-24" />)}
      </span>
      <span className={own.detail}>{detail}</span>
    </Link>
  );
}
