// Shows in the header of the dashboard at what time its statistics were loaded.

import { getStats } from '@portal/contract';
import { useQuery } from '@tanstack/react-query';
import { queryOf } from '../../../queries.ts';
import { AsOf } from '../lists/as-of.tsx';

export function DashboardAsOf() {
  return <AsOf query={useQuery(queryOf(getStats))} of={[]} />;
}
