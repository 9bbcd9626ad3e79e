// Dialog that sets the last day of the unused codes of an upload (R-LIFE-19, R-LIFE-33).
import { type BatchRecord, dayField, getBatch, orNull, setBatchUseBy } from '@portal/contract';
import { useState } from 'react';
import { call } from '../../../api.ts';
import { queryClient, queryOf } from '../../../queries.ts';
import { ConfirmDialog } from '../../../ui/confirm-dialog.tsx';
import { DateField } from '../../../ui/date-field.tsx';
import { useForm } from '../../../ui/use-form.ts';
import { say, sayCount } from '../../../words/say.ts';
import { NewerValues, useNewerValues } from '../newer-values.tsx';
import { today } from '../today.ts';
import { CountChanged } from './count-changed.tsx';
import { sayDated } from './upload-words.ts';
import { useConfirmedCount } from './use-confirmed-count.ts';

type UseByDialogProps = { upload: BatchRecord; onStarted: (job: string) => void; onCancel: () => void };

const useByField = orNull(dayField('use_by'));

export function UseByDialog({ upload, onStarted, onCancel }: UseByDialogProps) {
  const { id, held, free, datable } = upload;
  // The upload as the field has begun with it.
  const [{ use_by, use_by_mixed }, setSeen] = useState(upload);
  const { isNewer, onConflict } = useNewerValues(async () => {
    const newer = await queryClient.fetchQuery({ ...queryOf(getBatch, { id }), staleTime: 0 });
    setSeen(newer);
    reset({ day: newer.use_by ?? '' });
  });
  const { values, field, busy, props, reset } = useForm({ day: upload.use_by ?? '' }, async () => {
    const checked = useByField.safeParse(day);
    if (!checked.success) return { day: say('Enter a complete day') };
    const body = { use_by: checked.data, expected: count, was: { use_by, use_by_mixed } };
    await confirm(async () => onStarted((await call(setBatchUseBy, { params: { id }, body })).job_id));
    return {};
  });
  const { day } = values;
  // If the chosen day is today or earlier, only available codes change: they expire. A later day, or no day, also
  // changes expired codes: they become available again.
  const isOver = day !== '' && day <= today();
  const { count, before, confirm, isOff } = useConfirmedCount(
    isOver ? free : datable,
    say('Failed to set the last day'),
    { about: isOver ? 'available' : 'available and expired', onConflict },
  );
  return (
    <ConfirmDialog
      title={say('Set last day')}
      words={sayDated(count, held)}
      confirm={sayCount(count, {
        one: 'Set last day of {count} code',
        other: 'Set last day of {count} codes',
      })}
      busy={busy}
      isOff={isOff}
      asked={before}
      onCancel={onCancel}
      formRef={props.ref}
      onConfirm={props.onSubmit}
    >
      <CountChanged now={count} before={before} />
      <NewerValues isShown={isNewer} />
      <DateField
        {...field('day')}
        label={say('Last day')}
        hint={say('The last day the partner accepts the code. Empty: no last day.')}
      />
      {isOver && <p role="status">{say('This day does not lie ahead. The codes expire.')}</p>}
      {!isOver && datable > free && (
        <p role="status">{say('Codes that have expired become available again.')}</p>
      )}
    </ConfirmDialog>
  );
}
