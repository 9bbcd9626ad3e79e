// Dialog that asks before the unused codes of an upload become void (R-LIFE-18, R-LIFE-33).
import { type BatchRecord, note as noteField, type VoidReason } from '@portal/contract';
import { useState } from 'react';
import { voidBatch } from '../../../admin-calls.ts';
import { call } from '../../../api.ts';
import { ConfirmDialog } from '../../../ui/confirm-dialog.tsx';
import { RadioGroup } from '../../../ui/radio-group.tsx';
import { TextField } from '../../../ui/text-field.tsx';
import { say, sayCount, sayServed } from '../../../words/say.ts';
import { CountChanged } from './count-changed.tsx';
import { sayUnused } from './upload-words.ts';
import { useConfirmedCount } from './use-confirmed-count.ts';

type VoidDialogProps = { upload: BatchRecord; onStarted: (job: string) => void; onCancel: () => void };

export function VoidDialog({ upload: { id, free, held }, onStarted, onCancel }: VoidDialogProps) {
  const [reason, setReason] = useState<VoidReason | ''>('');
  const [note, setNote] = useState('');
  const [error, setError] = useState<string>();
  const { count, before, busy, confirm } = useConfirmedCount(free, say('Failed to void the codes'));
  const start = () => {
    const checked = noteField.safeParse(note);
    setError(checked.success ? undefined : sayServed(checked.error.issues[0]?.message ?? ''));
    if (!checked.success || reason === '') return;
    const body = { reason, note: checked.data, expected: count };
    void confirm(async () => onStarted((await call(voidBatch, { params: { id }, body })).job_id));
  };
  return (
    <ConfirmDialog
      title={say('Void unused codes')}
      words={sayUnused(count, held)}
      confirm={sayCount(count, { one: 'Void {count} code', other: 'Void {count} codes' })}
      danger
      busy={busy}
      disabled={reason === ''}
      asked={before}
      onCancel={onCancel}
      onConfirm={start}
    >
      <CountChanged now={count} before={before} />
      <RadioGroup
        label={say('Why?')}
        value={reason}
        options={[
          { value: 'mistake', label: say('The upload was a mistake. The codes may be uploaded again.') },
          { value: 'dead', label: say('These codes must not be used any more.') },
        ]}
        onChange={setReason}
      />
      <TextField
        label={say('Note')}
        optional
        hint={say('For staff only.')}
        value={note}
        error={error}
        maxLength={200}
        autoComplete="off"
        onChange={setNote}
      />
    </ConfirmDialog>
  );
}
