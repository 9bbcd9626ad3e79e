// Exports everything for the admin pages. The app imports this file dynamically, so that learners do not download admin
// code.
export { AdminFrame } from './admin-frame.tsx';
export { AdminNav } from './admin-nav.tsx';
export { AdminPage } from './admin-page.tsx';
export { StaffSearch } from './find/staff-search.tsx';
export { AsOf } from './lists/as-of.tsx';
export { listByColumn } from './people/by-column.tsx';
export { StatusTag } from './products/status-tag.tsx';
