// Exports the pages for users without the admin role, so that the build puts both into one file.
export { AccessRestrictedPage } from './access-restricted-page.tsx';
export { CheckAccessPage } from './check-access-page.tsx';
