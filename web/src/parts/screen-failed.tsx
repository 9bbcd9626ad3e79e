// Replaces a screen that cannot be shown: an error with a button to reload the page.
import { RefreshCw } from 'lucide-react';
import { Button } from '../ui/button.tsx';
import { MessageCard } from '../ui/message-card.tsx';
import { say } from '../words/say.ts';
import { CentredPage } from './centred-page.tsx';

export function ScreenFailed({ heading, words }: { heading: string; words: string }) {
  return (
    <CentredPage title={heading}>
      <MessageCard icon={RefreshCw} tone="warning" heading={heading}>
        <p>{words}</p>
        <Button className="mt-4" onClick={() => location.reload()}>
          {say('Reload')}
        </Button>
      </MessageCard>
    </CentredPage>
  );
}
