// Renders the layout that all admin pages share, after a check of the user's role.

import { listAudit, listCoupons } from '@portal/contract';
import { type ReactNode, useEffect } from 'react';
import { useLocation } from 'wouter';
import { CentredPage } from '../../parts/centred-page.tsx';
import { useSession } from '../../parts/use-session.ts';
import { StatusLine } from '../../ui/status-line.tsx';
import { say } from '../../words/say.ts';
import type { Ended } from '../admin-login/send-link.ts';
import { AdminFrame } from './admin-frame.tsx';
import { CouponsPage } from './coupons/coupons-page.tsx';
import { listCouponTabs } from './coupons/list-coupon-tabs.ts';
import { DashboardAsOf } from './dashboard/dashboard-as-of.tsx';
import { DashboardPage } from './dashboard/dashboard-page.tsx';
import { listDashboardTabs } from './dashboard/list-dashboard-tabs.ts';
import { ProductsPage } from './products/products-page.tsx';
import { useMay } from './role-gate.tsx';
import type { SubTabsProps } from './sub-tabs.tsx';
import { useAdminCheck, useTurnAway } from './use-admin-check.ts';
import { useRefusedQueries } from './use-refused-queries.ts';
import { listUserTabs } from './users/list-user-tabs.ts';
import { UsersPage } from './users/users-page.tsx';

const SCREENS = {
  Dashboard: { Screen: DashboardPage, sayTitle: () => say('Dashboard') },
  Products: { Screen: ProductsPage, sayTitle: () => say('Products') },
  Users: { Screen: UsersPage, sayTitle: () => say('Users') },
  Coupons: { Screen: CouponsPage, sayTitle: () => say('Coupons') },
};

type AdminPageProps = {
  screen: keyof typeof SCREENS;
  /**
   * A page that shows one item, such as one product. It replaces the list page of `screen` and renders its own
   * `AdminFrame`.
   */
  children?: ReactNode;
};

/** Shows an admin page to administrators. Redirects all other users (R-GUARD-01 to R-GUARD-05). */
export function AdminPage({ screen, children }: AdminPageProps) {
  const check = useAdminCheck();
  const may = useMay();
  useRefusedQueries();
  const session = useSession();
  const endedFor = session.status === 'signed-out' && session.endedFor;
  const [path, navigate] = useLocation();
  const { Screen, sayTitle } = SCREENS[screen];
  const title = sayTitle();
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
    if (children) return children;
    return (
      <AdminFrame title={title} subTabs={tabs[screen]} aside={screen === 'Dashboard' && <DashboardAsOf />}>
        <Screen />
      </AdminFrame>
    );
  }
  return (
    <CentredPage title={title}>
      <h1 className="sr-only">{say('Admin')}</h1>
      <StatusLine>{say('Checking access...')}</StatusLine>
    </CentredPage>
  );
}
