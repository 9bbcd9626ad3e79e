// Card with the actions on the unused codes of an upload: setting their last day, making them void, and taking
// the upload back (R-LIFE-18, R-LIFE-19, R-LIFE-33).
import {
  type BatchActState,
  type BatchRecord,
  dayField,
  getBatch,
  note as noteField,
  orNull,
  REASON_MAX,
  REASON_MIN,
  setBatchUseBy,
  type VoidReason,
  voidBatch,
} from '@portal/contract';
import { Ban, CalendarClock, type LucideIcon, Undo2 } from 'lucide-react';
import { useId, useState } from 'react';
import { call } from '../../api.ts';
import { queryClient, queryOf } from '../../queries.ts';
import { Button, OFF_BUTTON } from '../../ui/button.tsx';
import { Card, CardBody } from '../../ui/card.tsx';
import { RadioGroup } from '../../ui/choice.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { classes } from '../../ui/dom.ts';
import { DateField, TextField } from '../../ui/field.tsx';
import { today } from '../../words/format.ts';
import { say, sayCount } from '../../words/say.ts';
import { sayNewerDates } from '../action.tsx';
import { TakeBackCodes } from '../files/take-back.tsx';
import { useDialogForm } from '../form.tsx';
import { sayCountChanged, sayDated, sayKept, sayUnused, sayVoid } from '../nouns/upload.ts';

/** An action that a dialog asks about. `mistake` makes the unused codes void too, but they may be uploaded again. */
type Asked = BatchActState['kind'] | 'mistake';

type UploadActsProps = {
  upload: BatchRecord;
  /** Kind of the action that is running on this upload; null if no action is running. */
  runningKind: BatchActState['kind'] | null;
  /** Called with the id of the action's job, after the server has started the job. */
  onStarted: (job: string) => void;
};

export function UploadActs({ upload, runningKind, onStarted }: UploadActsProps) {
  const [asked, setAsked] = useState<Asked | null>(null);
  const offId = useId();
  const close = () => setAsked(null);
  const start = (job: string) => {
    close();
    onStarted(job);
  };
  const off = sayOff(upload, runningKind);
  const actProps = { describedBy: off ? offId : undefined, onPress: setAsked };
  return (
    <Card title={say('Change this upload')} className="lg:col-span-6">
      <CardBody>
        <ul>
          <Act
            {...actProps}
            kind="use_by"
            icon={CalendarClock}
            label={say('Set last day')}
            words={say('The last day a code works. It changes the available codes only.')}
            off={runningKind !== null || upload.datable === 0}
          />
          <Act
            {...actProps}
            kind="void"
            icon={Ban}
            label={say('Void unused codes')}
            words={say('For a wrong file, or codes that the partner withdrew. What was handed out stays.')}
            off={runningKind !== null || upload.free === 0}
          />
          <Act
            {...actProps}
            kind="mistake"
            icon={Undo2}
            label={say('Take back this upload')}
            words={say('For an upload that was a mistake. The codes may be uploaded again.')}
            off={runningKind !== null || upload.free === 0}
          />
        </ul>
        {off && (
          <p id={offId} className="text-sm text-ink-3 mt-3">
            {off}
          </p>
        )}
      </CardBody>
      {asked === 'void' && <VoidDialog upload={upload} onStarted={start} onCancel={close} />}
      {asked === 'mistake' && <TakeBackCodes upload={upload} onStarted={start} onCancel={close} />}
      {asked === 'use_by' && <UseByDialog upload={upload} onStarted={start} onCancel={close} />}
    </Card>
  );
}

type ActProps = {
  kind: Asked;
  icon: LucideIcon;
  label: string;
  words: string;
  off: boolean;
  describedBy: string | undefined;
  onPress: (kind: Asked) => void;
};

function Act({ kind, icon, label, words, off, describedBy, onPress }: ActProps) {
  return (
    <li className="flex items-center justify-between gap-6 py-3.5 border-t border-line last:pb-0 max-md:flex-col max-md:items-stretch max-md:gap-2.5">
      <div>
        <b className="font-medium">{label}</b>
        <p className="text-sm text-ink-3">{words}</p>
      </div>
      {/* Uses `aria-disabled` instead of `disabled`. When the action starts, the button has the focus, and a disabled
      button would lose the focus. */}
      <Button
        size="sm"
        icon={icon}
        className={classes('flex-none min-w-42', OFF_BUTTON)}
        aria-disabled={off}
        aria-describedby={off ? describedBy : undefined}
        onClick={off ? undefined : () => onPress(kind)}
      >
        {label}
      </Button>
    </li>
  );
}

/** Returns the text that says why an action is not possible now, or undefined if all are possible. */
function sayOff({ free }: BatchRecord, runningKind: BatchActState['kind'] | null): string | undefined {
  if (runningKind === 'void') return say('Off while codes are being voided.');
  if (runningKind === 'use_by') return say('Off while the last day is being set.');
  return free === 0 ? say('No code of this upload is unused.') : undefined;
}

type VoidDialogProps = { upload: BatchRecord; onStarted: (job: string) => void; onCancel: () => void };

function VoidDialog({ upload, onStarted, onCancel }: VoidDialogProps) {
  const { id, free, held } = upload;
  const form = useDialogForm({
    start: { reason: '' as VoidReason | '', note: '' },
    check: ({ note }) =>
      noteField.safeParse(note).success
        ? {}
        : { note: say('Enter at least {count} characters, or leave it empty', { count: REASON_MIN }) },
    // Without a reason, the dialog cannot be confirmed.
    send: ({ reason, note }, expected) =>
      call(voidBatch, {
        params: { id },
        body: { reason: reason || 'mistake', note: noteField.parse(note), expected },
      }),
    counted: { shown: free, sayChange: sayCountChanged },
    failed: say('Failed to void the codes'),
    onDone: ({ job_id }) => onStarted(job_id),
    changes: ['coupons'],
  });
  const { values, field, count } = form;
  // Codes that must not be used any more become void in any case.
  const kept = values.reason === 'mistake' ? upload.kept : 0;
  return (
    <ConfirmDialog
      title={say('Void unused codes')}
      words={sayUnused(count, held)}
      confirm={sayVoid(Math.max(count - kept, 0))}
      danger
      act={form}
      disabled={values.reason === ''}
      onCancel={onCancel}
    >
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
        maxLength={REASON_MAX}
        autoComplete="off"
      />
    </ConfirmDialog>
  );
}

type UseByDialogProps = { upload: BatchRecord; onStarted: (job: string) => void; onCancel: () => void };

const useByField = orNull(dayField('use_by'));

function UseByDialog({ upload, onStarted, onCancel }: UseByDialogProps) {
  const { id, held, free, datable } = upload;
  // The upload as the field has begun with it.
  const [{ use_by, use_by_mixed }, setSeen] = useState(upload);
  // If the chosen day is today or earlier, only available codes change: they expire. A later day, or no day, also
  // changes expired codes: they become available again.
  const isOverOn = (day: string) => day !== '' && day <= today();
  const form = useDialogForm({
    start: { day: upload.use_by ?? '' },
    check: ({ day }) => (useByField.safeParse(day).success ? {} : { day: say('Enter a complete day') }),
    send: ({ day }, expected) => {
      const body = { use_by: useByField.parse(day), expected, was: { use_by, use_by_mixed } };
      return call(setBatchUseBy, { params: { id }, body });
    },
    counted: ({ day }) => ({
      shown: isOverOn(day) ? free : datable,
      about: isOverOn(day) ? 'available' : 'available and expired',
      sayChange: sayCountChanged,
    }),
    failed: say('Failed to set the last day'),
    onConflict: async () => {
      const newer = await queryClient.fetchQuery({ ...queryOf(getBatch, { id }), staleTime: 0 });
      setSeen(newer);
      form.reset({ day: newer.use_by ?? '' });
    },
    conflict: sayNewerDates(),
    onDone: ({ job_id }) => onStarted(job_id),
    changes: ['coupons'],
  });
  const { field, count } = form;
  const isOver = isOverOn(form.values.day);
  return (
    <ConfirmDialog
      title={say('Set last day')}
      words={sayDated(count, held)}
      confirm={sayCount(count, {
        one: 'Set last day of {count} code',
        other: 'Set last day of {count} codes',
      })}
      act={form}
      onCancel={onCancel}
    >
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
