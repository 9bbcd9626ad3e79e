// The address that leads everybody to /admin/access-denied, with a notification (R-ROUTE-12, R-ROUTE-13, A-14).
import { useEffect } from 'react';
import { useLocation } from 'wouter';
import { showToast } from '../ui/toast-store.ts';
import { say } from '../words/say.ts';
import { sayAdminsOnly } from './say-admins-only.ts';

export function CheckAccessPage() {
  const [, navigate] = useLocation();
  useEffect(() => {
    showToast({ title: say('Access restricted'), description: sayAdminsOnly(), variant: 'destructive' });
    // By the router, so that the toast stays.
    navigate('/admin/access-denied', { replace: true });
  }, [navigate]);
  return null;
}
