// Warning on the record of a person: the mail server refuses mails to the address for good (R-TRAIL-32, R-TRAIL-50).
import type { PersonRecord } from '@portal/contract';
import { retryMail } from '@portal/contract';
import { MailX, RefreshCw } from 'lucide-react';
import { useState } from 'react';
import { call } from '../../../api.ts';
import { Button } from '../../../ui/button.tsx';
import { focusMain } from '../../../ui/focus-main.ts';
import { Icon } from '../../../ui/icon.tsx';
import { sayDate } from '../../../words/format.ts';
import { say } from '../../../words/say.ts';
import { refreshLists } from '../changes.ts';
import { tellRefusal, tellSuccess } from '../refusal-toast.ts';
import styles from './person-page.module.css';

/** Shows nothing if mails to the address are not refused. */
export function MailWarning({ record: { user, mail } }: { record: PersonRecord }) {
  if (mail.refused_at === null) return null;
  const day = sayDate(new Date(mail.refused_at), { dateStyle: 'medium' });
  return (
    <div className={styles.warning} role="status">
      <Icon of={MailX} />
      <p>
        {mail.reason === null
          ? say('Mails to this address are refused since {day}.', { day })
          : say('Mails to this address are refused since {day}: {reason}', { day, reason: mail.reason })}
      </p>
      <Retry user_id={user.user_id} />
    </div>
  );
}

function Retry({ user_id }: { user_id: string }) {
  const [busy, setBusy] = useState(false);
  const retry = async () => {
    setBusy(true);
    try {
      await call(retryMail, { params: { user_id } });
      tellSuccess(say('Mails to this address are sent again.'));
      refreshLists('users');
    } catch (error) {
      tellRefusal(error, say('Failed to send mails again'));
    }
    setBusy(false);
  };
  return (
    <Button ref={passFocus} size="sm" busy={busy} onClick={() => void retry()}>
      {!busy && <Icon of={RefreshCw} size={16} />}
      {say('Try again')}
    </Button>
  );
}

/** Moves the focus to the main content if the button is removed while it has the focus. */
function passFocus(button: HTMLButtonElement | null) {
  return () => {
    if (button === document.activeElement) queueMicrotask(focusMain);
  };
}
