// The sentence that users read if they may not see the admin pages.
import { say } from '../words/say.ts';

export const sayAdminsOnly = () =>
  say('Sorry, this space is for admins only. Seems like you do not have access.');
