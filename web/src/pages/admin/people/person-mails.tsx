// Card with the last mails to a person (R-TRAIL-31, N-74).
import type { PersonMail, PersonRecord } from '@portal/contract';
import { Check, CircleAlert, Clock, type LucideIcon, Mail } from 'lucide-react';
import { Card } from '../../../ui/card.tsx';
import { Icon } from '../../../ui/icon.tsx';
import { NoRows } from '../../../ui/no-rows.tsx';
import { Tag, type TagTone } from '../../../ui/tag.tsx';
import { say } from '../../../words/say.ts';
import admin from '../admin.module.css';
import styles from './person.module.css';
import { sayMailName, sayMailStory } from './person-words.ts';

export function PersonMails({ record: { mail } }: { record: PersonRecord }) {
  return (
    // The portal does not know whether a mail arrived.
    <Card title={say('Mails')} sub={say('Sent: the mail server took it')} className={admin.five}>
      {mail.recent.length === 0 ? (
        <NoRows icon={Mail}>
          <p>{say('No mails yet.')}</p>
        </NoRows>
      ) : (
        <ul className={styles.mails}>
          {mail.recent.map((each, index) => (
            // A mail has no id. Two mails of one kind can have the same time.
            <li key={`${each.at} ${each.kind} ${index}`}>
              <div>
                <p>{sayMailName(each)}</p>
                <p>{sayMailStory(each)}</p>
              </div>
              <StateTag state={each.state} />
            </li>
          ))}
        </ul>
      )}
    </Card>
  );
}

type State = PersonMail['state'];

const LOOKS: Record<State, { icon: LucideIcon; tone: TagTone }> = {
  queued: { icon: Clock, tone: 'neutral' },
  sent: { icon: Check, tone: 'neutral' },
  failed: { icon: CircleAlert, tone: 'danger' },
  bounced: { icon: CircleAlert, tone: 'danger' },
};

function StateTag({ state }: { state: State }) {
  const { icon, tone } = LOOKS[state];
  return (
    <Tag tone={tone}>
      <Icon of={icon} size={13} />
      {sayMailState(state)}
    </Tag>
  );
}

function sayMailState(state: State): string {
  if (state === 'queued') return say('Queued');
  if (state === 'sent') return say('Sent');
  return state === 'failed' ? say('Failed') : say('Bounced');
}
