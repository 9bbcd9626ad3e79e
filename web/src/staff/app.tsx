// The screens of the staff pages, with one line for each. Visitors and learners do not load this file.
import { getStats, listAudit, listCoupons } from '@portal/contract';
import { useQuery } from '@tanstack/react-query';
import { type ComponentType, type ReactNode, useEffect } from 'react';
import { Route, Switch, useLocation } from 'wouter';
import { checkAdmin } from '../api.ts';
import { CentredPage } from '../page.tsx';
import { queryClient, queryOf, useSession } from '../queries.ts';
import { useAdminCheck, useTurnAway } from '../sign-in/admin-check.ts';
import type { Ended } from '../sign-in/admin-login.tsx';
import { StatusLine } from '../ui/notice.tsx';
import { showToast } from '../ui/toast-store.ts';
import { t } from '../words/translate.ts';
import { refusalWords } from './action.tsx';
import { CouponsPage } from './codes/list.tsx';
import { CouponPage } from './codes/page.tsx';
import { UploadPage, UploadsPage } from './codes/uploads.tsx';
import { CohortsPage } from './cohorts/list.tsx';
import { CohortPage } from './cohorts/page.tsx';
import { DashboardPage } from './dashboard.tsx';
import { AdminFrame, listCouponTabs, listDashboardTabs, listUserTabs, type SubTabsProps } from './frame.tsx';
import { AsOf } from './list.tsx';
import { ActivityPage } from './log/activity.tsx';
import { UsersPage } from './people/list.tsx';
import { PersonPage } from './people/page.tsx';
import { ProductsPage } from './products/list.tsx';
import { ProductPage } from './products/page.tsx';
import { followRole, isRoleTooLow, useMay } from './role.tsx';
import { TeamPage } from './team.tsx';
import { ViewAs } from './view-as.tsx';
import '../styles/staff.css';

export { AdminNav } from './frame.tsx';
export { StaffSearch } from './search.tsx';
export { ViewBar } from './view-as.tsx';

/** `otherwise` stands at addresses that are none of a staff page. */
export function StaffScreens({ otherwise }: { otherwise: ReactNode }) {
  return (
    <Switch>
      <StaffRoute path="/admin" screen="Dashboard" />
      <StaffRoute path="/admin/activity" screen="Dashboard" Page={ActivityPage} />
      <StaffRoute path="/admin/products" screen="Products" />
      <StaffRoute path="/admin/products/:id" screen="Products" Page={ProductPage} />
      <StaffRoute path="/admin/users" screen="Users" />
      <StaffRoute path="/admin/users/team" screen="Users" Page={TeamPage} />
      <StaffRoute path="/admin/users/cohorts" screen="Users" Page={CohortsPage} />
      <StaffRoute path="/admin/users/cohorts/:id" screen="Users" Page={CohortPage} />
      <StaffRoute path="/admin/users/:user_id" screen="Users" Page={PersonPage} />
      <StaffRoute path="/admin/view-as/:user_id/*?" screen="Users" Page={ViewAs} />
      <StaffRoute path="/admin/coupons" screen="Coupons" />
      <StaffRoute path="/admin/coupons/uploads" screen="Coupons" Page={UploadsPage} />
      <StaffRoute path="/admin/coupons/uploads/:id" screen="Coupons" Page={UploadPage} />
      <StaffRoute path="/admin/coupons/:id" screen="Coupons" Page={CouponPage} />
      <Route>{otherwise}</Route>
    </Switch>
  );
}

/** `Switch` compares the `path` of each child, so a child need not be a `Route` itself. */
function StaffRoute({ path, ...page }: AdminPageProps & { path: string }) {
  return (
    <Route path={path}>
      <AdminPage {...page} />
    </Route>
  );
}

const SCREENS = {
  Dashboard: { Screen: DashboardPage, formatTitle: () => t('Dashboard') },
  Products: { Screen: ProductsPage, formatTitle: () => t('Products') },
  Users: { Screen: UsersPage, formatTitle: () => t('Users') },
  Coupons: { Screen: CouponsPage, formatTitle: () => t('Coupons') },
};

type AdminPageProps = {
  screen: keyof typeof SCREENS;
  /** A page in place of the list page of `screen`, for example of one product. It renders its own `AdminFrame`. */
  Page?: ComponentType;
};

/** Shows an admin page to administrators. Redirects all other users (R-GUARD-01 to R-GUARD-05). */
function AdminPage({ screen, Page }: AdminPageProps) {
  const check = useAdminCheck();
  const may = useMay();
  useRefusedQueries();
  const session = useSession();
  const endedFor = session.status === 'signed-out' && session.endedFor;
  const [path, navigate] = useLocation();
  const { Screen, formatTitle } = SCREENS[screen];
  const title = formatTitle();
  useEffect(() => {
    if (check !== 'signed-out') return;
    const state: Ended | null = endedFor
      ? { email: endedFor, page: title, path: path + location.search }
      : null;
    navigate('/admin-login', { replace: true, state });
  }, [check, endedFor, title, path, navigate]);
  useTurnAway(check, path + location.search);
  const tabs: Partial<Record<typeof screen, SubTabsProps['tabs'] | undefined>> = {
    ...(may(listAudit) && { Dashboard: listDashboardTabs() }),
    ...(may(listCoupons) && { Coupons: listCouponTabs() }),
    Users: listUserTabs(may),
  };

  if (check === 'admin') {
    if (Page) return <Page />;
    return (
      <AdminFrame title={title} subTabs={tabs[screen]} aside={screen === 'Dashboard' && <DashboardAsOf />}>
        <Screen />
      </AdminFrame>
    );
  }
  return (
    <CentredPage title={title}>
      <h1 className="sr-only">{t('Admin')}</h1>
      <StatusLine>{t('Checking access...')}</StatusLine>
    </CentredPage>
  );
}

/** Shows a toast for each query that is refused because the role is too low, and repeats the check (R-TEAM-21). */
function useRefusedQueries(): void {
  useEffect(
    () =>
      queryClient.getQueryCache().subscribe((event) => {
        if (event.type !== 'updated' || event.action.type !== 'error') return;
        // The check itself is refused to a user without a role. Repeating it would never end.
        if (event.query.queryKey[0] === checkAdmin.path) return;
        const { error } = event.action;
        if (isRoleTooLow(error)) showToast(refusalWords(error, ''));
        followRole(error);
      }),
    [],
  );
}

/** The time at which the statistics were loaded. */
function DashboardAsOf() {
  return <AsOf query={useQuery(queryOf(getStats))} of={[]} />;
}
