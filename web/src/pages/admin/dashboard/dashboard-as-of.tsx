// Shows in the header of the dashboard at what time its statistics were loaded.
import { useQuery } from '@tanstack/react-query';
import { getStats } from '../../../admin-calls.ts';
import { queryOf } from '../../../queries.ts';
import { AsOf } from '../lists/as-of.tsx';

export function DashboardAsOf() {
  return <AsOf query={useQuery(queryOf(getStats))} of={[]} />;
}
