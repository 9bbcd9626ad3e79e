// Exports everything for the admin pages. The app imports this file dynamically, so that learners do not download the
// JavaScript of the admin pages.
export { AdminNav } from './admin-nav.tsx';
export { AdminPage } from './admin-page.tsx';
