// The screens of the staff pages, with one line for each. Visitors and learners do not load this file.
import type { ReactNode } from 'react';
import { Route, Switch } from 'wouter';
import { AdminPage } from './pages/admin/admin-page.tsx';
import { Cohorts } from './pages/admin/cohorts/cohorts.tsx';
import { CouponPage } from './pages/admin/coupons/coupon-page.tsx';
import { ActivityPage } from './pages/admin/log/activity-page.tsx';
import { PersonPage } from './pages/admin/people/person-page.tsx';
import { ProductPage } from './pages/admin/products/product-page.tsx';
import { TeamPage } from './pages/admin/team/team-page.tsx';
import { Uploads } from './pages/admin/uploads/uploads.tsx';
import { ViewAs } from './pages/admin/view-as/view-as.tsx';

export { AdminNav } from './pages/admin/admin-nav.tsx';
export { StaffSearch } from './pages/admin/find/staff-search.tsx';
export { ViewBar } from './pages/admin/view-as/view-as.tsx';

/** `otherwise` stands at addresses that are none of a staff page. */
export function StaffScreens({ otherwise }: { otherwise: ReactNode }) {
  return (
    <Switch>
      <Route path="/admin">{() => <AdminPage screen="Dashboard" />}</Route>
      <Route path="/admin/activity">
        <AdminPage screen="Dashboard">
          <ActivityPage />
        </AdminPage>
      </Route>
      <Route path="/admin/products">{() => <AdminPage screen="Products" />}</Route>
      <Route path="/admin/products/:id">
        <AdminPage screen="Products">
          <ProductPage />
        </AdminPage>
      </Route>
      <Route path="/admin/users">{() => <AdminPage screen="Users" />}</Route>
      <Route path="/admin/users/team">
        <AdminPage screen="Users">
          <TeamPage />
        </AdminPage>
      </Route>
      <Route path="/admin/users/cohorts/:id?">
        <AdminPage screen="Users">
          <Cohorts />
        </AdminPage>
      </Route>
      <Route path="/admin/users/:user_id">
        <AdminPage screen="Users">
          <PersonPage />
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
          <Uploads />
        </AdminPage>
      </Route>
      <Route path="/admin/coupons/:id">
        <AdminPage screen="Coupons">
          <CouponPage />
        </AdminPage>
      </Route>
      <Route>{otherwise}</Route>
    </Switch>
  );
}
