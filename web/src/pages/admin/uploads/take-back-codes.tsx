// Dialog that asks before an upload of codes is taken back: its unused codes become void, and may be uploaded again
// (R-IMP-10).
import type { BatchRecord } from '@portal/contract';
import { useState } from 'react';
import { voidBatch } from '../../../admin-calls.ts';
import { call } from '../../../api.ts';
import { ConfirmDialog } from '../../../ui/confirm-dialog.tsx';
import { say, sayCount } from '../../../words/say.ts';
import { CountChanged } from './count-changed.tsx';
import { sayUnused } from './upload-words.ts';
import { useConfirmedCount } from './use-confirmed-count.ts';

type TakeBackCodesProps = { upload: BatchRecord; onStarted: (job: string) => void; onCancel: () => void };

export function TakeBackCodes({ upload: { id, free, held }, onStarted, onCancel }: TakeBackCodesProps) {
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
      confirm={sayCount(count, { one: 'Void {count} code', other: 'Void {count} codes' })}
      danger
      busy={busy}
      disabled={count === 0}
      isOff={isOff}
      asked={before}
      onCancel={onCancel}
      onConfirm={() => void takeBack()}
    >
      <CountChanged now={count} before={before} />
      <p>{say('The upload was a mistake. The codes may be uploaded again.')}</p>
    </ConfirmDialog>
  );
}
