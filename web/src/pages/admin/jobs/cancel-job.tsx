// Button that cancels an import or another job that changes many rows (C-7). What the job has changed stays.

import { cancelImport } from '@portal/contract';
import { useState } from 'react';
import { call } from '../../../api.ts';
import { Button } from '../../../ui/button.tsx';
import { tellRefusal } from '../refusal-toast.ts';

type CancelJobProps = {
  id: string;
  label: string;
  /** Title of the toast if the job could not be cancelled. */
  failed: string;
  size?: 'sm';
  /** Id of the text that says what the press ends. */
  hintId?: string;
  /** Called after the server has cancelled the job. A page that polls the job needs no action. */
  onCancelled?: () => void;
};

export function CancelJob({ id, label, failed, size, hintId, onCancelled }: CancelJobProps) {
  const [busy, setBusy] = useState(false);
  const cancel = async () => {
    setBusy(true);
    try {
      await call(cancelImport, { params: { id } });
      onCancelled?.();
    } catch (error) {
      tellRefusal(error, failed);
    } finally {
      // The page may fail to load the new state, and then it still shows this button.
      setBusy(false);
    }
  };
  return (
    <Button size={size} busy={busy} aria-describedby={hintId} onClick={() => void cancel()}>
      {label}
    </Button>
  );
}
