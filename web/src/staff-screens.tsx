// The screens of the staff pages, with one line for each. Visitors and learners do not load this file.
import type { ReactNode } from 'react';
import { Route, Switch } from 'wouter';
import { AdminPage, StaffSearch as Search } from './pages/admin/admin.ts';
import { lazyPart, lazyScreen } from './parts/lazy-screen.tsx';

// These staff pages have a file each. Most other staff pages are in the file of this module.
const AdminUploads = lazyScreen(() => import('./pages/admin/uploads/uploads.tsx').then((m) => m.Uploads));
const AdminProductPage = lazyScreen(() =>
  import('./pages/admin/products/product-page.tsx').then((m) => m.ProductPage),
);
const AdminCouponPage = lazyScreen(() =>
  import('./pages/admin/coupons/coupon-page.tsx').then((m) => m.CouponPage),
);
const AdminTeam = lazyScreen(() => import('./pages/admin/team/team-page.tsx').then((m) => m.TeamPage));
const AdminCohorts = lazyScreen(() => import('./pages/admin/cohorts/cohorts.tsx').then((m) => m.Cohorts));
const AdminPerson = lazyScreen(() =>
  import('./pages/admin/people/person-page.tsx').then((m) => m.PersonPage),
);
const AdminActivity = lazyScreen(() =>
  import('./pages/admin/log/activity-page.tsx').then((m) => m.ActivityPage),
);
// The pages of a product, a person, a cohort, an upload and a code show the timeline. They get it from here.
const AdminTimeline = lazyPart(() => import('./pages/admin/log/timeline.tsx').then((m) => m.Timeline), null);
const loadSearchResults = () => import('./pages/admin/find/results.tsx');
const loadView = () => import('./pages/admin/view-as/view-as.tsx');
const ViewAs = lazyScreen(() => loadView().then((m) => m.ViewAs));

export { AdminNav } from './pages/admin/admin.ts';
export const StaffSearch = () => <Search load={loadSearchResults} />;
/** Takes the place of the header while a member of the team views the pages of a learner. */
export const ViewBar = lazyPart(() => loadView().then((m) => m.ViewBar), <div className="min-h-13" />);

/** `otherwise` stands at addresses that are none of a staff page. */
export function StaffScreens({ otherwise }: { otherwise: ReactNode }) {
  return (
    <Switch>
      <Route path="/admin">{() => <AdminPage screen="Dashboard" />}</Route>
      <Route path="/admin/activity">
        <AdminPage screen="Dashboard">
          <AdminActivity />
        </AdminPage>
      </Route>
      <Route path="/admin/products">{() => <AdminPage screen="Products" />}</Route>
      <Route path="/admin/products/:id">
        <AdminPage screen="Products">
          <AdminProductPage Timeline={AdminTimeline} />
        </AdminPage>
      </Route>
      <Route path="/admin/users">{() => <AdminPage screen="Users" />}</Route>
      <Route path="/admin/users/team">
        <AdminPage screen="Users">
          <AdminTeam />
        </AdminPage>
      </Route>
      <Route path="/admin/users/cohorts/:id?">
        <AdminPage screen="Users">
          <AdminCohorts Timeline={AdminTimeline} />
        </AdminPage>
      </Route>
      <Route path="/admin/users/:user_id">
        <AdminPage screen="Users">
          <AdminPerson Timeline={AdminTimeline} />
        </AdminPage>
      </Route>
      <Route path="/admin/view-as/:user_id/*?">
        <AdminPage screen="Users">
          <ViewAs />
        </AdminPage>
      </Route>
      <Route path="/admin/coupons">{() => <AdminPage screen="Coupons" />}</Route>
      <Route path="/admin/coupons/uploads/:id?">
        <AdminPage screen="Coupons">
          <AdminUploads Timeline={AdminTimeline} />
        </AdminPage>
      </Route>
      <Route path="/admin/coupons/:id">
        <AdminPage screen="Coupons">
          <AdminCouponPage Timeline={AdminTimeline} />
        </AdminPage>
      </Route>
      <Route>{otherwise}</Route>
    </Switch>
  );
}
