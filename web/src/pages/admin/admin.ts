// Entry point of the admin pages. The app imports only this file, dynamically, so that learners do not load them.
export { AdminNav } from './admin-nav.tsx';
export { AdminPage } from './admin-page.tsx';
