// Layout of every admin form: a message after values were restored, the fields, and the buttons.
import { History } from 'lucide-react';
import type { ReactNode } from 'react';
import { Button } from '../../ui/button.tsx';
import { Notice } from '../../ui/notice.tsx';
import { say } from '../../words/say.ts';
import styles from './admin.module.css';
import type { useStaffForm } from './use-staff-form.ts';

/** Says that the form has values again that were typed before the session ended. */
export function RestoredNotice({ isShown }: { isShown: boolean }) {
  return (
    <div role="status" className={styles.status}>
      {isShown && (
        <Notice icon={History}>
          {say('What you typed before you were signed out is here again. It was not saved yet.')}
        </Notice>
      )}
    </div>
  );
}

type StaffFormProps = {
  form: Pick<ReturnType<typeof useStaffForm>, 'props' | 'busy' | 'isOff' | 'onClear'>;
  /** Label of the submit button. */
  save: string;
  /** Label of the button while the form is sent; 'Saving...' if missing. */
  saving?: string;
  /** A sentence beside the buttons. */
  note?: string | undefined;
  /** Class of a layout other than one column. */
  className?: string | undefined;
  children: ReactNode;
};

export function StaffForm({ form: { props, busy, isOff, onClear }, save, note, ...layout }: StaffFormProps) {
  const { saving = say('Saving...'), className = styles.form, children } = layout;
  return (
    <form {...props} className={className}>
      <RestoredNotice isShown={onClear !== undefined} />
      {children}
      <div className={styles.foot}>
        {/* Uses `aria-disabled` instead of `disabled`: the pressed button keeps the focus. */}
        <Button look="primary" type="submit" busy={busy} aria-disabled={isOff || undefined}>
          {busy ? saving : save}
        </Button>
        {onClear && (
          <Button look="ghost" onClick={onClear}>
            {say('Clear')}
          </Button>
        )}
        {note && <span className={styles.note}>{note}</span>}
      </div>
    </form>
  );
}
