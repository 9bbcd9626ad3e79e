// The pages of the section 'Dashboard' for roles that may read the log. Other roles have one page, so they see no tabs.
import { say } from '../../../words/say.ts';

export const listDashboardTabs = () => [
  { path: '/admin', label: say('Overview') },
  { path: '/admin/activity', label: say('Activity') },
];
