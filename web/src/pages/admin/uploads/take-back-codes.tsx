// Dialog that asks before an upload of codes is taken back: its unused codes become void, and may be uploaded again
// (R-IMP-10). Codes that another upload names too stay (R-IMP-28).
import type { BatchRecord } from '@portal/contract';
import { voidBatch } from '@portal/contract';
import { useState } from 'react';
import { call } from '../../../api.ts';
import { ConfirmDialog } from '../../../ui/confirm-dialog.tsx';
import { say } from '../../../words/say.ts';
import { CountChanged } from './count-changed.tsx';
import { sayKept, sayUnused, sayVoid } from './upload-words.ts';
import { useConfirmedCount } from './use-confirmed-count.ts';

type TakeBackCodesProps = { upload: BatchRecord; onStarted: (job: string) => void; onCancel: () => void };

export function TakeBackCodes({ upload, onStarted, onCancel }: TakeBackCodesProps) {
  const { id, free, held, kept } = upload;
  const [busy, setBusy] = useState(false);
  const { count, before, confirm, isOff } = useConfirmedCount(free, say('Failed to void the codes'));
  const takeBack = async () => {
    setBusy(true);
    const body = { reason: 'mistake', note: null, expected: count } as const;
    await confirm(async () => onStarted((await call(voidBatch, { params: { id }, body })).job_id));
    setBusy(false);
  };
  return (
    <ConfirmDialog
      title={say('Take back this upload')}
      words={sayUnused(count, held)}
      confirm={sayVoid(Math.max(count - kept, 0))}
      danger
      busy={busy}
      disabled={count === 0}
      isOff={isOff}
      asked={before}
      onCancel={onCancel}
      onConfirm={() => void takeBack()}
    >
      <CountChanged now={count} before={before} />
      {kept > 0 && <p>{sayKept(upload)}</p>}
      <p>{say('The upload was a mistake. The codes may be uploaded again.')}</p>
    </ConfirmDialog>
  );
}
