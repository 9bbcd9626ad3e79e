// The page with all cohorts: a form that adds one, and the list (R-COHORT-20, R-COHORT-21).
import { createCohort } from '@portal/contract';
import { Card } from '../../../ui/card.tsx';
import { CardBody } from '../../../ui/card-body.tsx';
import { say } from '../../../words/say.ts';
import { AdminFrame } from '../admin-frame.tsx';
import { useNewRow } from '../lists/use-new-row.ts';
import { RoleGate, useMay } from '../role-gate.tsx';
import { listUserTabs } from '../users/list-user-tabs.ts';
import { CohortForm } from './cohort-form.tsx';
import { CohortsTable } from './cohorts-table.tsx';

export function CohortsPage() {
  const { newRow, onSaved } = useNewRow();
  return (
    <AdminFrame title={say('Users')} tabTitle={say('Cohorts')} subTabs={listUserTabs(useMay())}>
      <RoleGate to={createCohort}>
        <Card title={say('Add New Cohort')}>
          <CardBody>
            <CohortForm onSaved={onSaved} />
          </CardBody>
        </Card>
      </RoleGate>
      <CohortsTable newRow={newRow} />
    </AdminFrame>
  );
}
