// The page 'Activity' of the dashboard: everything in the log, newest first, with filters (R-TRAIL-52).
import { exportAudit, listAudit } from '@portal/contract';
import { say } from '../../../words/say.ts';
import { AdminFrame } from '../admin-frame.tsx';
import { listDashboardTabs } from '../dashboard/list-dashboard-tabs.ts';
import { NothingHere } from '../nothing-here.tsx';
import { RoleGate } from '../role-gate.tsx';
import { ActivityCard } from './activity-card.tsx';
import { DownloadLog } from './download-button.tsx';

export function ActivityPage() {
  return (
    <RoleGate to={listAudit} otherwise={<NoActivity />}>
      <AdminFrame title={say('Dashboard')} tabTitle={say('Activity')} subTabs={listDashboardTabs()}>
        <ActivityCard
          download={(filters) => (
            <RoleGate to={exportAudit}>
              <DownloadLog filters={filters} />
            </RoleGate>
          )}
        />
      </AdminFrame>
    </RoleGate>
  );
}

function NoActivity() {
  return (
    <AdminFrame title={say('Dashboard')} tabTitle={say('Activity')}>
      <NothingHere />
    </AdminFrame>
  );
}
