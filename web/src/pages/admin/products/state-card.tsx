// The card that shows a product's status and numbers of codes. Its buttons pause, resume, archive or bring back the
// product.
import type { NewStatus, ProductRecord, ProductStatus } from '@portal/contract';
import { setProductStatus } from '@portal/contract';
import {
  Archive,
  ArchiveRestore,
  CalendarClock,
  CalendarX,
  CircleCheck,
  CirclePause,
  type LucideIcon,
  Pause,
  Play,
} from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { call } from '../../../api.ts';
import { Button } from '../../../ui/button.tsx';
import { CardBody } from '../../../ui/card-body.tsx';
import { Icon } from '../../../ui/icon.tsx';
import { sayNumber } from '../../../words/format.ts';
import { say } from '../../../words/say.ts';
import admin from '../admin.module.css';
import { refreshLists } from '../changes.ts';
import { tellRefusal, tellSuccess } from '../refusal-toast.ts';
import { RoleGate, useRoleRefusal } from '../role-gate.tsx';
import styles from './product-page.module.css';
import { StatusDialog } from './status-dialog.tsx';
import { explainStatus, sayStatus } from './status-words.ts';

const ICONS: Record<ProductStatus, LucideIcon> = {
  live: CircleCheck,
  paused: CirclePause,
  scheduled: CalendarClock,
  ended: CalendarX,
  archived: Archive,
};

type StateCardProps = { record: ProductRecord; onChanged: () => Promise<unknown> };

/**
 * The card calls `onChanged` after a change of the status, and when a dialog opens. `onChanged` loads `record` again.
 */
export function StateCard({ record, onChanged }: StateCardProps) {
  const { status, pause_note, shared_coupon } = record;
  const heading = useFocusKept(status);
  const figures = [
    [say('Hold a code'), sayNumber(record.held)],
    [say('Codes left'), shared_coupon ? say('shared code') : sayNumber(record.left)],
    [say('Revoked'), sayNumber(record.revoked)],
    [say('Void'), sayNumber(record.void)],
    [say('Expired'), sayNumber(record.expired)],
  ] as const;
  return (
    <section className={admin.side} aria-label={say('State')}>
      <CardBody className={styles.card}>
        <h2 ref={heading} tabIndex={-1} className={styles.state} data-is={status}>
          <Icon of={ICONS[status]} size={18} />
          {sayStatus(status)}
        </h2>
        <p className={styles.sentence}>{explainStatus(record)}</p>
        {status === 'paused' && pause_note !== null && (
          <p dir="auto" className={styles.note}>
            {pause_note}
          </p>
        )}
        <dl className={styles.facts}>
          {figures.map(([label, figure]) => (
            <div key={label}>
              <dt>{label}</dt>
              <dd>{figure}</dd>
            </div>
          ))}
        </dl>
        <RoleGate to={setProductStatus}>
          <Acts record={record} onChanged={onChanged} />
        </RoleGate>
      </CardBody>
    </section>
  );
}

function sayDone(from: ProductStatus, to: NewStatus['status']): string {
  if (to === 'paused') return say('Product paused');
  if (to === 'archived') return say('Product archived');
  return from === 'archived' ? say('Product brought back') : say('Product resumed');
}

function Acts({ record: { product_id: id, ...record }, onChanged }: StateCardProps) {
  const { status } = record;
  const [asking, setAsking] = useState<'paused' | 'archived' | null>(null);
  const [busy, setBusy] = useState(false);
  const isStopped = status === 'paused' || status === 'archived';
  const { isOff, noteRefusal } = useRoleRefusal();
  // Somebody else has done it meanwhile.
  if (asking === status) setAsking(null);
  const set = async (body: NewStatus) => {
    setBusy(true);
    try {
      const was = isStopped ? status : 'live';
      await call(setProductStatus, { params: { id }, body: { ...body, was } });
      await onChanged();
      refreshLists('products');
      tellSuccess(sayDone(status, body.status));
      setAsking(null);
    } catch (error) {
      noteRefusal(error);
      // The dialog stays open with the note. Somebody else may have changed the status: it is read again.
      void onChanged();
      tellRefusal(error, say('Failed to change the product'));
    }
    setBusy(false);
  };
  const ask = (next: 'paused' | 'archived') => {
    setAsking(next);
    // Loads the product again, because the dialog shows how many people hold a code, and this number may have changed.
    void onChanged();
  };
  const canPause = status === 'live' || status === 'scheduled';
  return (
    <div className={styles.acts}>
      {canPause && (
        <Button size="sm" onClick={() => ask('paused')}>
          <Icon of={Pause} size={16} />
          {say('Pause')}
        </Button>
      )}
      {isStopped && (
        <Button
          size="sm"
          look="primary"
          busy={busy && asking === null}
          onClick={() => void set({ status: 'live', note: null })}
        >
          <Icon of={status === 'paused' ? Play : ArchiveRestore} size={16} />
          {status === 'paused' ? say('Resume') : say('Bring back')}
        </Button>
      )}
      {status !== 'archived' && (
        <Button size="sm" onClick={() => ask('archived')}>
          <Icon of={Archive} size={16} />
          {say('Archive')}
        </Button>
      )}
      {asking && (
        <StatusDialog
          next={asking}
          product={record}
          busy={busy}
          isOff={isOff}
          onCancel={() => setAsking(null)}
          onConfirm={(note) => void set({ status: asking, note })}
        />
      )}
    </div>
  );
}

/**
 * Returns a ref for the heading. A change of the status removes the pressed button. If this button had the focus, the
 * heading gets the focus.
 */
function useFocusKept(status: ProductStatus) {
  const heading = useRef<HTMLHeadingElement>(null);
  const last = useRef(status);
  useEffect(() => {
    if (last.current === status) return;
    last.current = status;
    if (document.activeElement === document.body) heading.current?.focus();
  }, [status]);
  return heading;
}
