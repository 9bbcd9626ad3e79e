// The form that adds a note to the timeline (R-TRAIL-07, R-TRAIL-51).
import { addNote, type NewNote, newNote } from '@portal/contract';
import { type KeyboardEvent, useEffect, useId, useState } from 'react';
import { call } from '../../../api.ts';
import { Button } from '../../../ui/button.tsx';
import { ConfirmDialog } from '../../../ui/confirm-dialog.tsx';
import { TextArea } from '../../../ui/text-area.tsx';
import { sayNumber } from '../../../words/format.ts';
import { say } from '../../../words/say.ts';
import { refreshLists } from '../changes.ts';
import { tellSuccess } from '../refusal-toast.ts';
import { RestoredNotice } from '../staff-form.tsx';
import { useFormId } from '../use-form-id.ts';
import { useStaffForm } from '../use-staff-form.ts';
import styles from './log.module.css';

/** Distinguishes this form from the other forms of its page; see `useTyped`. */
export const NOTE_MARK = '#note';
const MAX = 2000;

/** The thing that the note is about: one of the three ids. */
export type NoteSubject = Omit<NewNote, 'text' | 'id'>;

type NoteFormProps = {
  subject: NoteSubject;
  /** Called after the note was added. */
  onAdded: () => void;
  /** Called when the user closes the form without a note. */
  onClose: () => void;
};

export function NoteForm({ subject, onAdded, onClose }: NoteFormProps) {
  const hintId = useId();
  const [isAsking, setAsking] = useState(false);
  const start = { text: '' };
  const { withId, renew } = useFormId();
  const form = useStaffForm({
    mark: NOTE_MARK,
    start,
    required: () => ({ text: say('Write the note first') }),
    sayMissing: ({ text }) => text,
    schema: { safeParse: (values: typeof start) => newNote.safeParse({ ...subject, ...values }) },
    save: (body) => call(addNote, { body: withId(body) }),
    failed: say('Failed to add the note'),
    refusedAt: { invalid_request: 'text' },
    onSaved: () => {
      renew();
      tellSuccess(say('Note added'));
      refreshLists();
      onAdded();
    },
  });
  const { values, busy, isOff, props } = form;
  const { ref } = props;
  useEffect(() => ref.current?.querySelector('textarea')?.focus(), [ref]);
  const leave = () => {
    if (busy) return;
    if (values.text.trim() === '') onClose();
    else setAsking(true);
  };
  const pressKey = (event: KeyboardEvent) => {
    // While an input method composes a character, Escape belongs to the input method.
    if (event.key !== 'Escape' || event.nativeEvent.isComposing) return;
    // Otherwise, the same press of Escape would close the dialog that it opens.
    event.preventDefault();
    leave();
  };
  return (
    <>
      <form {...props} className={styles.composer} onKeyDown={pressKey}>
        <RestoredNotice isShown={form.onClear !== undefined} />
        <TextArea
          {...form.field('text')}
          label={say('Note')}
          rows={3}
          maxLength={MAX}
          aria-describedby={hintId}
        />
        <div className={styles.choices}>
          <p id={hintId}>
            {say('A note cannot be changed later.')}{' '}
            {say('{count} of {max} characters', {
              count: sayNumber(values.text.length),
              max: sayNumber(MAX),
            })}
          </p>
          <div>
            <Button size="sm" onClick={leave}>
              {say('Cancel')}
            </Button>
            {/* Uses `aria-disabled` instead of `disabled`: the pressed button keeps the focus. */}
            <Button size="sm" look="primary" type="submit" busy={busy} aria-disabled={isOff || undefined}>
              {say('Add note')}
            </Button>
          </div>
        </div>
      </form>
      {isAsking && (
        <ConfirmDialog
          title={say('Discard the note?')}
          words={say('What you typed is not saved.')}
          cancel={say('Keep writing')}
          confirm={say('Discard')}
          danger
          onCancel={() => setAsking(false)}
          onConfirm={onClose}
        />
      )}
    </>
  );
}
