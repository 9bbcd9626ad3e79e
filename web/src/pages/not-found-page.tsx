// The page for unknown addresses (R-ROUTE-18 to R-ROUTE-21).
import { TriangleAlert } from 'lucide-react';
import { BackHome } from '../parts/back-home.tsx';
import { CentredPage } from '../parts/centred-page.tsx';
import { MessageCard } from '../ui/message-card.tsx';
import { say } from '../words/say.ts';

export function NotFoundPage() {
  return (
    <CentredPage title={say('Page not found')}>
      <MessageCard icon={TriangleAlert} tone="warning" heading={say('404 Page Not Found')}>
        <p>{say('Did you forget to add the page to the router?')}</p>
        <BackHome />
      </MessageCard>
    </CentredPage>
  );
}
