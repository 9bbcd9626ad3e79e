// The pages about cohorts: the list, and one cohort. The app imports this file dynamically, so other pages do not download
// it.

import { listUsers } from '@portal/contract';
import { useParams } from 'wouter';
import { say } from '../../../words/say.ts';
import { AdminFrame } from '../admin-frame.tsx';
import { NothingHere } from '../nothing-here.tsx';
import { RoleGate } from '../role-gate.tsx';
import { CohortPage } from './cohort-page.tsx';
import { CohortsPage } from './cohorts-page.tsx';

export function Cohorts() {
  const { id } = useParams<{ id?: string }>();
  if (!id) return <CohortsPage />;
  return (
    // A viewer sees the list only (R-TEAM-32).
    <RoleGate to={listUsers} otherwise={<NoCohort />}>
      {/* If the URL changes to another cohort, the new `key` makes React create a new page. So input for the previous
      cohort is discarded. */}
      <CohortPage key={id} id={id} />
    </RoleGate>
  );
}

function NoCohort() {
  return (
    <AdminFrame title={say('Users')} tabTitle={say('Cohorts')}>
      <NothingHere />
    </AdminFrame>
  );
}
