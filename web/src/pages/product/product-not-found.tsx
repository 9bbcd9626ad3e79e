// The page for an unknown product. It redirects to the home page after two seconds (R-PROD-02 to R-PROD-05).
import { PackageX } from 'lucide-react';
import { useEffect } from 'react';
import { useLocation } from 'wouter';
import { CentredPage } from '../../parts/centred-page.tsx';
import { forgetProduct } from '../../sign-in-path.ts';
import { MessageCard } from '../../ui/message-card.tsx';
import { StatusLine } from '../../ui/status-line.tsx';
import { showToast } from '../../ui/toast-store.ts';
import { say } from '../../words/say.ts';

/** Time before the redirect to the home page. */
const REDIRECT_DELAY_MS = 2000;

export function ProductNotFound({ id }: { id: string }) {
  const [, navigate] = useLocation();
  useEffect(() => {
    forgetProduct(id);
    showToast({
      title: say('Product Not Found'),
      description: say('The product does not exist or was removed.'),
      variant: 'destructive',
    });
    const timer = setTimeout(() => navigate('/', { replace: true }), REDIRECT_DELAY_MS);
    return () => clearTimeout(timer);
  }, [id, navigate]);
  return (
    <CentredPage title={say('Product Not Found')}>
      <MessageCard icon={PackageX} tone="warning" heading={say('Product Not Found')}>
        <StatusLine>{say('Redirecting to home page...')}</StatusLine>
      </MessageCard>
    </CentredPage>
  );
}
