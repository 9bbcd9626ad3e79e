// Exports the two pages for users without the admin role. The app imports this file dynamically, so the build puts both
// pages into one file.
export { AccessRestrictedPage } from './access-restricted-page.tsx';
export { CheckAccessPage } from './check-access-page.tsx';
