// The pages of the section 'Users'.
import { listCohorts, listTeam, listUsers } from '@portal/contract';
import { say } from '../../../words/say.ts';
import { COHORTS_PATH } from '../cohorts/cohort-path.ts';
import type { useMay } from '../role-gate.tsx';

/** Returns the pages that the role allows. Returns undefined if there is only one: then there are no tabs. */
export function listUserTabs(may: ReturnType<typeof useMay>) {
  const tabs = [
    { path: '/admin/users', label: say('People'), to: listUsers },
    { path: COHORTS_PATH, label: say('Cohorts'), to: listCohorts },
    { path: '/admin/users/team', label: say('Team'), to: listTeam },
  ].filter(({ to }) => may(to));
  return tabs.length > 1 ? tabs : undefined;
}
