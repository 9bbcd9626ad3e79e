// Exports the two pages for users without the admin role. One common export makes the build put both into one file.
export { AccessRestrictedPage } from './access-restricted-page.tsx';
export { CheckAccessPage } from './check-access-page.tsx';
