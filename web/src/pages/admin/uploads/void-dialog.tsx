// Dialog that asks before the unused codes of an upload become void (R-LIFE-18, R-LIFE-33).
import { type BatchRecord, note as noteField, type VoidReason, voidBatch } from '@portal/contract';
import { call } from '../../../api.ts';
import { ConfirmDialog } from '../../../ui/confirm-dialog.tsx';
import { RadioGroup } from '../../../ui/radio-group.tsx';
import { TextField } from '../../../ui/text-field.tsx';
import { useForm } from '../../../ui/use-form.ts';
import { say } from '../../../words/say.ts';
import { CountChanged } from './count-changed.tsx';
import { sayKept, sayUnused, sayVoid } from './upload-words.ts';
import { useConfirmedCount } from './use-confirmed-count.ts';

type VoidDialogProps = { upload: BatchRecord; onStarted: (job: string) => void; onCancel: () => void };

/** Length of the shortest note, in characters (N-69). */
const NOTE_MIN = 3;

export function VoidDialog({ upload, onStarted, onCancel }: VoidDialogProps) {
  const { id, free, held } = upload;
  const { count, before, confirm, isOff } = useConfirmedCount(free, say('Failed to void the codes'));
  const empty: { reason: VoidReason | ''; note: string } = { reason: '', note: '' };
  const { values, field, busy, props } = useForm(empty, async ({ reason, note }) => {
    const checked = noteField.safeParse(note);
    if (!checked.success)
      return { note: say('Enter at least {count} characters, or leave it empty', { count: NOTE_MIN }) };
    if (reason === '') return {};
    const body = { reason, note: checked.data, expected: count };
    await confirm(async () => onStarted((await call(voidBatch, { params: { id }, body })).job_id));
    return {};
  });
  // Codes that must not be used any more become void in any case.
  const kept = values.reason === 'mistake' ? upload.kept : 0;
  return (
    <ConfirmDialog
      title={say('Void unused codes')}
      words={sayUnused(count, held)}
      confirm={sayVoid(Math.max(count - kept, 0))}
      danger
      busy={busy}
      disabled={values.reason === ''}
      isOff={isOff}
      asked={before}
      onCancel={onCancel}
      formRef={props.ref}
      onConfirm={props.onSubmit}
    >
      <CountChanged now={count} before={before} />
      <RadioGroup
        label={say('Why?')}
        value={values.reason}
        options={[
          { value: 'mistake', label: say('The upload was a mistake. The codes may be uploaded again.') },
          { value: 'dead', label: say('These codes must not be used any more.') },
        ]}
        onChange={field('reason').onChange}
      />
      {kept > 0 && <p role="status">{sayKept(upload)}</p>}
      <TextField
        {...field('note')}
        label={say('Note')}
        optional={say('optional, for staff only')}
        maxLength={200}
        autoComplete="off"
      />
    </ConfirmDialog>
  );
}
