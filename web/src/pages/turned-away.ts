// The entry point of the pages for people without the admin role: one file to fetch for both.
export { AccessRestrictedPage } from './access-restricted-page.tsx';
export { CheckAccessPage } from './check-access-page.tsx';
