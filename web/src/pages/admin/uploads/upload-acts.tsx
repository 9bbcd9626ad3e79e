// Card with the actions on the unused codes of an upload: setting their last day, making them void, and taking
// the upload back.
import type { BatchActState, BatchRecord } from '@portal/contract';
import { Ban, CalendarClock, type LucideIcon, Undo2 } from 'lucide-react';
import { useId, useState } from 'react';
import { Button } from '../../../ui/button.tsx';
import { Card } from '../../../ui/card.tsx';
import { CardBody } from '../../../ui/card-body.tsx';
import { Icon } from '../../../ui/icon.tsx';
import { say } from '../../../words/say.ts';
import admin from '../admin.module.css';
import { TakeBackCodes } from './take-back-codes.tsx';
import styles from './uploads.module.css';
import { UseByDialog } from './use-by-dialog.tsx';
import { VoidDialog } from './void-dialog.tsx';

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
    <Card title={say('Change this upload')} className={admin.six}>
      <CardBody>
        <ul className={styles.acts}>
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
          <p id={offId} className={styles.off}>
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
    <li>
      <div>
        <b>{label}</b>
        <p>{words}</p>
      </div>
      {/* Uses `aria-disabled` instead of `disabled`. When the action starts, the button has the focus, and a disabled
      button would lose the focus. */}
      <Button
        size="sm"
        aria-disabled={off}
        aria-describedby={off ? describedBy : undefined}
        onClick={off ? undefined : () => onPress(kind)}
      >
        <Icon of={icon} size={16} />
        {label}
      </Button>
    </li>
  );
}

/** Returns the text that says why an action is not possible now, or undefined if both actions are possible. */
function sayOff({ free }: BatchRecord, runningKind: BatchActState['kind'] | null): string | undefined {
  if (runningKind === 'void') return say('Off while codes are being voided.');
  if (runningKind === 'use_by') return say('Off while the last day is being set.');
  return free === 0 ? say('No code of this upload is unused.') : undefined;
}
