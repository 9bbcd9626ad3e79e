// The pages of the section 'Users' for owners. Other roles have one page, so they see no tabs.
import { say } from '../../../words/say.ts';

export const listUserTabs = () => [
  { path: '/admin/users', label: say('People') },
  { path: '/admin/users/team', label: say('Team') },
];
