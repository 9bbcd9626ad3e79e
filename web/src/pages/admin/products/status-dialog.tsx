// Dialog that asks for confirmation before a product is paused or archived. It says what learners will see, and how
// many people hold a code.
import type { ProductRecord } from '@portal/contract';
import { useState } from 'react';
import { ConfirmDialog } from '../../../ui/confirm-dialog.tsx';
import { TextArea } from '../../../ui/text-area.tsx';
import { say, sayCount } from '../../../words/say.ts';

type StatusDialogProps = {
  next: 'paused' | 'archived';
  product: Pick<ProductRecord, 'name' | 'held' | 'left' | 'shared_coupon'>;
  busy: boolean;
  /** True if the role of the current user is too low by now. */
  isOff: boolean;
  onCancel: () => void;
  onConfirm: (note: string | null) => void;
};

export function StatusDialog({ next, product, ...props }: StatusDialogProps) {
  const { name, held, left, shared_coupon } = product;
  const [note, setNote] = useState('');
  const holders =
    held === 0
      ? say('Nobody holds a code yet.')
      : sayCount(held, {
          one: '{count} person holds a code and keeps seeing it.',
          other: '{count} hold a code and keep seeing it.',
        });
  if (next === 'paused') {
    return (
      <ConfirmDialog
        {...props}
        title={say('Pause {product}?', { product: name })}
        words={`${say('Learners without a code see ‘Paused’ and cannot redeem.')} ${holders}`}
        confirm={say('Pause')}
        // The server accepts only one line.
        onConfirm={() => props.onConfirm(note.replaceAll(/\s+/g, ' ').trim() || null)}
      >
        <TextArea
          label={say('Note')}
          optional={say('optional, for staff only')}
          rows={3}
          value={note}
          onChange={setNote}
          maxLength={200}
        />
      </ConfirmDialog>
    );
  }
  const words = say(
    'Learners without a code no longer see it on their page; its link says ‘This offer has ended’.',
  );
  const unused =
    shared_coupon || left === 0
      ? ''
      : sayCount(left, {
          one: '{count} unused code stays with the product.',
          other: '{count} unused codes stay with the product.',
        });
  return (
    <ConfirmDialog
      {...props}
      title={say('Archive {product}?', { product: name })}
      words={`${words} ${holders}`}
      confirm={say('Archive')}
      onConfirm={() => props.onConfirm(null)}
    >
      <p>{`${unused} ${say('You can bring it back at any time.')}`.trim()}</p>
    </ConfirmDialog>
  );
}
