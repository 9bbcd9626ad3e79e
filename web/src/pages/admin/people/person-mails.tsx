// The card `Mails` on the record of a person.
import type { PersonRecord } from '@portal/contract';
import { Card } from '../../../ui/card.tsx';
import { say } from '../../../words/say.ts';
import admin from '../admin.module.css';

export function PersonMails({ record: { mail } }: { record: PersonRecord }) {
  return (
    <Card title={say('Mails')} className={admin.five}>
      <p>{mail.recent.length}</p>
    </Card>
  );
}
