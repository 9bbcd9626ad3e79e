// The screens of the staff pages. Visitors and learners do not load this file.
import type { TeamRole } from '@portal/contract';
import {
  getStats,
  listAudit,
  listBatches,
  listCohorts,
  listCoupons,
  listTeam,
  listUsers,
} from '@portal/contract';
import { useQuery } from '@tanstack/react-query';
import { type ComponentType, type ReactNode, useEffect } from 'react';
import { Route, Switch, useLocation } from 'wouter';
import { checkAdmin } from '../api.ts';
import { queryClient, queryOf, useSession } from '../queries.ts';
import { useAdminCheck, useTurnAway } from '../sign-in/admin-check.ts';
import type { Ended } from '../sign-in/admin-login.tsx';
import { Spinner } from '../ui/icon.tsx';
import { showToast } from '../ui/toast-store.ts';
import { t } from '../words/translate.ts';
import { refusalWords } from './action.tsx';
import { CouponsPage } from './codes/list.tsx';
import { CouponPage } from './codes/page.tsx';
import { StockPage } from './codes/stock.tsx';
import { UploadPage, UploadsPage } from './codes/uploads.tsx';
import { CohortsPage } from './cohorts/list.tsx';
import { CohortPage } from './cohorts/page.tsx';
import { DashboardPage } from './dashboard.tsx';
import { AdminFrame, CardsLoading, SubTabsContext } from './frame.tsx';
import { AsOf } from './list.tsx';
import { ActivityPage } from './log/activity.tsx';
import { CODES_PATH, STOCK_PATH, UPLOADS_PATH } from './nouns/code.tsx';
import { COHORTS_PATH } from './nouns/cohort.tsx';
import { UsersPage } from './people/list.tsx';
import { PersonPage } from './people/page.tsx';
import { ProductsPage } from './products/list.tsx';
import { ProductPage } from './products/page.tsx';
import { followRole, isRoleTooLow, useMay } from './role.tsx';
import { TeamPage } from './team.tsx';
import { ViewAs } from './view-as.tsx';
import '../styles/staff.css';

export { StaffMenu } from './account.tsx';
export { AdminNav } from './frame.tsx';
export { StaffSearch } from './search.tsx';
export { ViewBar } from './view-as.tsx';

type Screen = {
  path: string;
  section: keyof typeof SECTIONS;
  /** The page, with its own `AdminFrame`. Without it, the page of the section. */
  Page?: ComponentType;
  /** Label of its tab among those of the section. A page of one item has none (N-114). */
  formatTab?: () => string;
  /** For a page with a tab: the call that a role needs for it. */
  to?: { role: TeamRole };
};

/** The order matters: a path with a parameter comes after the fixed paths that it would match. */
const SCREENS: Screen[] = [
  { path: '/admin', section: 'Dashboard', formatTab: () => t('Overview'), to: getStats },
  {
    path: '/admin/activity',
    section: 'Dashboard',
    Page: ActivityPage,
    formatTab: () => t('Activity'),
    to: listAudit,
  },
  { path: '/admin/products', section: 'Products' },
  { path: '/admin/products/:id', section: 'Products', Page: ProductPage },
  { path: '/admin/users', section: 'Users', formatTab: () => t('People'), to: listUsers },
  { path: COHORTS_PATH, section: 'Users', Page: CohortsPage, formatTab: () => t('Cohorts'), to: listCohorts },
  { path: '/admin/users/team', section: 'Users', Page: TeamPage, formatTab: () => t('Team'), to: listTeam },
  { path: `${COHORTS_PATH}/:id`, section: 'Users', Page: CohortPage },
  { path: '/admin/users/:user_id', section: 'Users', Page: PersonPage },
  { path: '/admin/view-as/:user_id/*?', section: 'Users', Page: ViewAs },
  { path: CODES_PATH, section: 'Coupons', formatTab: () => t('Codes'), to: listCoupons },
  {
    path: UPLOADS_PATH,
    section: 'Coupons',
    Page: UploadsPage,
    formatTab: () => t('Uploads'),
    to: listBatches,
  },
  {
    path: STOCK_PATH,
    section: 'Coupons',
    Page: StockPage,
    formatTab: () => t('Stock'),
    to: getStats,
  },
  { path: `${UPLOADS_PATH}/:id`, section: 'Coupons', Page: UploadPage },
  { path: `${CODES_PATH}/:id`, section: 'Coupons', Page: CouponPage },
];

/** `otherwise` is shown at addresses that belong to no staff page. */
export function StaffScreens({ otherwise }: { otherwise: ReactNode }) {
  return (
    <Switch>
      {SCREENS.map((screen) => (
        <Route key={screen.path} path={screen.path}>
          <AdminPage {...screen} />
        </Route>
      ))}
      <Route>{otherwise}</Route>
    </Switch>
  );
}

const SECTIONS = {
  Dashboard: { Page: DashboardPage, formatTitle: () => t('Dashboard') },
  Products: { Page: ProductsPage, formatTitle: () => t('Products') },
  Users: { Page: UsersPage, formatTitle: () => t('Users') },
  Coupons: { Page: CouponsPage, formatTitle: () => t('Coupons') },
};

/** Shows an admin page to administrators. Redirects all other users (R-GUARD-01 to R-GUARD-05). */
function AdminPage(screen: Screen) {
  const check = useAdminCheck();
  const may = useMay();
  useRefusedQueries();
  const session = useSession();
  const endedFor = session.status === 'signed-out' && session.endedFor;
  const [path, navigate] = useLocation();
  const section = SECTIONS[screen.section];
  const title = section.formatTitle();
  useEffect(() => {
    if (check !== 'signed-out') return;
    const state: Ended | null = endedFor
      ? { email: endedFor, page: title, path: path + location.search }
      : null;
    navigate('/admin-login', { replace: true, state });
  }, [check, endedFor, title, path, navigate]);
  useTurnAway(check, path + location.search);
  const tabs = SCREENS.flatMap(({ path, formatTab, to, ...of }) =>
    formatTab && to && may(to) && of.section === screen.section ? { path, label: formatTab() } : [],
  );

  if (check === 'admin') {
    const isTab = tabs.some((tab) => tab.path === screen.path);
    return (
      <SubTabsContext value={isTab ? tabs : []}>
        {screen.Page ? (
          <screen.Page />
        ) : (
          <AdminFrame title={title} aside={screen.section === 'Dashboard' && <DashboardAsOf />}>
            <section.Page />
          </AdminFrame>
        )}
      </SubTabsContext>
    );
  }
  return <AccessCheck title={title} />;
}

/** The page in the first frame: its title, and cards without content until the role is known (R-DAY-61). */
function AccessCheck({ title }: { title: string }) {
  return (
    <AdminFrame
      title={title}
      tag={
        <span role="status" className="animate-late text-ink-3">
          <Spinner />
          <span className="sr-only">{t('Checking access...')}</span>
        </span>
      }
    >
      <CardsLoading />
    </AdminFrame>
  );
}

/** Shows a toast for each query that is refused because the role is too low, and repeats the check (R-TEAM-21). */
function useRefusedQueries(): void {
  useEffect(
    () =>
      queryClient.getQueryCache().subscribe((event) => {
        if (event.type !== 'updated' || event.action.type !== 'error') return;
        // The server refuses the check itself to a user without a role. Repeating the check would then never end.
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
  // The padding of the button stands outside, so that its text ends at the edge of the cards.
  return (
    <div className="md:-mr-3">
      <AsOf query={useQuery(queryOf(getStats))} of={[]} />
    </div>
  );
}
