// The single door of administrators' pages: what is behind it is one file to fetch.
export { AdminNav } from './admin-nav.tsx';
export { AdminPage } from './admin-page.tsx';
