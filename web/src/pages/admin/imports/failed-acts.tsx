// Buttons of an import that failed: `Try again` goes on where it stopped, `Cancel import` ends it, so that it can be taken
// back (C-7).
import type { ImportState } from '@portal/contract';
import { RefreshCw } from 'lucide-react';
import { useState } from 'react';
import { retryFailedJobs } from '../../../admin-calls.ts';
import { call } from '../../../api.ts';
import { Button } from '../../../ui/button.tsx';
import { Icon } from '../../../ui/icon.tsx';
import { say } from '../../../words/say.ts';
import { refreshLists } from '../changes.ts';
import { CancelJob } from '../jobs/cancel-job.tsx';
import { tellError, tellRefusal } from '../refusal-toast.ts';

type FailedActsProps = { state: ImportState; onRetried: () => void; onCancelled: () => void };

export function FailedActs({ state: { id, kind, reason }, onRetried, onCancelled }: FailedActsProps) {
  const [busy, setBusy] = useState(false);
  const retry = async () => {
    setBusy(true);
    try {
      // Other imports that failed for the same reason are tried again too, as on the dashboard.
      const { retried } = await call(retryFailedJobs, { body: { kind: 'import', reason: reason ?? '' } });
      if (retried === 0) tellError(say('The file is not kept any more. Please upload it again.'));
      else {
        refreshLists(kind, 'imports');
        onRetried();
      }
    } catch (error) {
      tellRefusal(error, say('Failed to try again'));
    } finally {
      setBusy(false);
    }
  };
  return (
    <>
      <Button size="sm" busy={busy} onClick={() => void retry()}>
        {!busy && <Icon of={RefreshCw} size={16} />}
        {busy ? say('Trying...') : say('Try again')}
      </Button>
      <CancelJob
        id={id}
        size="sm"
        label={say('Cancel import')}
        failed={say('Failed to cancel the import')}
        onCancelled={() => {
          refreshLists(kind, 'imports');
          onCancelled();
        }}
      />
    </>
  );
}
