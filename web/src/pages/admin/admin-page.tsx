// The guard before every administrators' page, and the frame around it.
import { type ReactNode, useEffect } from 'react';
import { useLocation } from 'wouter';
import { CentredPage, Page } from '../../parts/page.tsx';
import { StatusLine } from '../../ui/status-line.tsx';
import styles from './admin.module.css';
import { CouponsPage } from './coupons/coupons-page.tsx';
import { DashboardPage } from './dashboard/dashboard-page.tsx';
import { ProductsPage } from './products/products-page.tsx';
import { useAdminCheck } from './use-admin-check.ts';
import { UsersPage } from './users/users-page.tsx';

const SCREENS = {
  Dashboard: DashboardPage,
  Products: ProductsPage,
  Users: UsersPage,
  Coupons: CouponsPage,
};

/** Shows the screen to administrators only; everybody else is led away (R-GUARD-01 to R-GUARD-05). */
export function AdminPage({ screen }: { screen: keyof typeof SCREENS }) {
  const check = useAdminCheck();
  const [, navigate] = useLocation();
  useEffect(() => {
    if (check === 'signed-out') navigate('/admin-login', { replace: true });
    if (check === 'refused') navigate('/admin-access-restricted', { replace: true });
  }, [check, navigate]);

  const Screen = SCREENS[screen];
  if (check === 'admin') {
    return (
      <Frame title={screen}>
        <Screen />
      </Frame>
    );
  }
  return (
    <CentredPage title={screen}>
      <h1 className="sr-only">Admin</h1>
      <StatusLine>Checking access...</StatusLine>
    </CentredPage>
  );
}

function Frame({ title, children }: { title: string; children: ReactNode }) {
  return (
    <Page title={`${title} · Admin`} className={styles.page}>
      <h1 className={styles.title}>{title}</h1>
      <div className={styles.grid}>{children}</div>
    </Page>
  );
}
