// The card `Codes` on the record of a person.
import type { PersonRecord } from '@portal/contract';
import { Card } from '../../../ui/card.tsx';
import { say } from '../../../words/say.ts';
import admin from '../admin.module.css';

export function PersonCodes({ record: { coupons } }: { record: PersonRecord }) {
  return (
    <Card title={say('Codes')} className={admin.seven}>
      <p>{coupons.length}</p>
    </Card>
  );
}
