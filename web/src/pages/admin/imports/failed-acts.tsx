// Buttons of an import that failed: `Try again` goes on where it stopped, `Cancel import` ends it and deletes its file, so
// that it can be taken back (C-7).
import type { ImportState } from '@portal/contract';
import { retryFailedJobs } from '@portal/contract';
import { RefreshCw } from 'lucide-react';
import { useId, useState } from 'react';
import { call } from '../../../api.ts';
import { Button } from '../../../ui/button.tsx';
import { Icon } from '../../../ui/icon.tsx';
import { say } from '../../../words/say.ts';
import { refreshLists } from '../changes.ts';
import { CancelJob } from '../jobs/cancel-job.tsx';
import { tellError, tellRefusal } from '../refusal-toast.ts';
import { ask } from './ask-import.ts';
import styles from './imports.module.css';

type FailedActsProps = {
  state: ImportState;
  /** Called when the import is no longer failed, also if somebody else has tried it again or cancelled it. */
  onRetried: () => void;
  onCancelled: () => void;
};

export function FailedActs({ state: { id, kind }, onRetried, onCancelled }: FailedActsProps) {
  const [busy, setBusy] = useState(false);
  const hintId = useId();
  const retry = async () => {
    setBusy(true);
    try {
      const { retried } = await call(retryFailedJobs, { body: { kind: 'import', import_id: id } });
      // Nothing is tried again if somebody else was faster. Only an import that is still failed has lost its job, and
      // with the job its file.
      const said = retried === 0 ? await ask(id) : null;
      if (said === 'refused') return;
      if (typeof said === 'object' && said?.state === 'failed')
        return tellError(say('The file is not kept any more. Please upload it again.'));
      refreshLists(kind, 'imports');
      onRetried();
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
        hintId={hintId}
        label={say('Cancel import')}
        failed={say('Failed to cancel the import')}
        onCancelled={() => {
          refreshLists(kind, 'imports');
          onCancelled();
        }}
      />
      <span id={hintId} className={styles.hint}>
        {say('Cancelling deletes the file. To import the rest, you then upload it again.')}
      </span>
    </>
  );
}
