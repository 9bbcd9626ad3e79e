// The page of one code: where the code comes from, its state, and what happened to it (R-TRAIL-06, R-TRAIL-52).
import type { CouponRecord } from '@portal/contract';
import { getCoupon, listAudit } from '@portal/contract';
import { useQuery } from '@tanstack/react-query';
import { useParams } from 'wouter';
import { isNotFound } from '../../../api-error.ts';
import { LoadError } from '../../../parts/load-error.tsx';
import { queryOf } from '../../../queries.ts';
import { StatusLine } from '../../../ui/status-line.tsx';
import { say } from '../../../words/say.ts';
import { NotFoundPage } from '../../not-found-page.tsx';
import { AdminFrame } from '../admin-frame.tsx';
import { Timeline } from '../log/timeline.tsx';
import { NothingHere } from '../nothing-here.tsx';
import { RoleGate } from '../role-gate.tsx';
import { CouponFacts } from './coupon-facts.tsx';
import { CodeState } from './coupon-state.tsx';
import { CouponState } from './coupon-state-card.tsx';

const listBack = () => ({ href: '/admin/coupons', label: say('Codes') });

export function CouponPage() {
  const { id = '' } = useParams();
  return (
    <RoleGate
      to={getCoupon}
      otherwise={
        <AdminFrame title={say('Code')}>
          <NothingHere />
        </AdminFrame>
      }
    >
      {/* If the URL changes to another code, the new `key` makes React create a new page. So a shown code is hidden. */}
      <Code key={id} id={id} />
    </RoleGate>
  );
}

function Code({ id }: { id: string }) {
  const query = useQuery(queryOf(getCoupon, { id }));
  const coupon = query.data;
  if (isNotFound(query.error)) return <NotFoundPage />;
  if (!coupon) {
    return (
      <AdminFrame title={say('Code')} back={listBack()}>
        {query.isPending && <StatusLine>{say('Loading the code...')}</StatusLine>}
        {query.isError && (
          <LoadError
            words={say('We could not load the code.')}
            busy={query.isFetching}
            onRetry={() => void query.refetch()}
          />
        )}
      </AdminFrame>
    );
  }
  return (
    <AdminFrame title={sayTitle(coupon)} back={listBack()} tag={<CodeState state={coupon.state} />}>
      <CouponFacts coupon={coupon} />
      <CouponState coupon={coupon} />
      <RoleGate to={listAudit}>
        <Timeline subject={{ coupon_id: coupon.id }} />
      </RoleGate>
    </AdminFrame>
  );
}

function sayTitle({ hint, product }: CouponRecord): string {
  return hint === null
    ? say('Code of {product}', { product: product.name })
    : say('Code ending in {hint}', { hint });
}
