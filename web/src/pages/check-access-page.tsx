// Shows a notification and redirects every visitor to /admin/access-denied (R-ROUTE-12, R-ROUTE-13, A-14).
import { useEffect } from 'react';
import { useLocation } from 'wouter';
import { showToast } from '../ui/toast-store.ts';
import { say } from '../words/say.ts';
import { sayAdminsOnly } from './say-admins-only.ts';

export function CheckAccessPage() {
  const [, navigate] = useLocation();
  useEffect(() => {
    showToast({ title: say('Access restricted'), description: sayAdminsOnly(), variant: 'destructive' });
    // A toast does not survive a page load. So the redirect uses the router.
    navigate('/admin/access-denied', { replace: true });
  }, [navigate]);
  return null;
}
