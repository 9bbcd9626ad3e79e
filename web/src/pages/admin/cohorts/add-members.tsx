// The card that adds people to a cohort by their addresses (R-COHORT-13, R-COHORT-22).

import { addMembers } from '@portal/contract';
import { UserPlus } from 'lucide-react';
import { call } from '../../../api.ts';
import { Button } from '../../../ui/button.tsx';
import { Card } from '../../../ui/card.tsx';
import { CardBody } from '../../../ui/card-body.tsx';
import { Icon } from '../../../ui/icon.tsx';
import { TextArea } from '../../../ui/text-area.tsx';
import { useForm } from '../../../ui/use-form.ts';
import { sayNumber } from '../../../words/format.ts';
import { say } from '../../../words/say.ts';
import admin from '../admin.module.css';
import { refreshLists } from '../changes.ts';
import { sayAddPeople } from '../people-acts/people-words.ts';
import { tellError, tellRefusal, tellSuccess } from '../refusal-toast.ts';
import { useRoleRefusal } from '../role-gate.tsx';
import { RestoredNotice } from '../staff-form.tsx';
import { useTyped } from '../use-typed.ts';
import { readAddresses } from './addresses.ts';

const EMPTY = { emails: '' };

export function AddMembers({ cohort_id }: { cohort_id: string }) {
  const form = useAddForm(cohort_id);
  const count = readAddresses(form.values.emails).addresses.length;
  return (
    <Card title={say('Add Members')} className={admin.six}>
      <CardBody>
        <form {...form.props} className={admin.form}>
          <RestoredNotice isShown={form.isBack} />
          <TextArea
            {...form.field('emails')}
            label={say('Email addresses')}
            hint={say('One a line, up to 500. Unknown addresses become new people.')}
            rows={5}
            autoComplete="off"
            spellCheck={false}
          />
          <div className={admin.foot}>
            <Button look="primary" type="submit" busy={form.busy} aria-disabled={form.isOff || undefined}>
              {!form.busy && <Icon of={UserPlus} size={16} />}
              {form.busy ? say('Saving...') : count === 0 ? say('Add people') : sayAddPeople(count)}
            </Button>
          </div>
        </form>
      </CardBody>
    </Card>
  );
}

function useAddForm(cohort_id: string) {
  const { isOff, noteRefusal } = useRoleRefusal();
  const form = useForm(EMPTY, async ({ emails: typed }) => {
    if (isOff) return {};
    const { addresses: emails, problem } = readAddresses(typed);
    const error = problem ?? (emails.length === 0 ? say('Enter at least one address') : null);
    if (error !== null) {
      tellError(error);
      return { emails: error };
    }
    try {
      const { joined, already, created } = await call(addMembers, {
        params: { id: cohort_id },
        body: { emails },
      });
      form.reset(EMPTY);
      restored.forget();
      tellSuccess(
        say('{joined} joined, {already} were members, {created} new people', {
          joined: sayNumber(joined),
          already: sayNumber(already),
          created: sayNumber(created),
        }),
      );
      refreshLists('users');
      return {};
    } catch (failure) {
      noteRefusal(failure);
      return tellRefusal<'emails'>(failure, say('Failed to add the people'), { too_many: 'emails' });
    }
  });
  const restored = useTyped(form.values, EMPTY, form.reset, 'members');
  return { ...form, isOff, isBack: restored.isBack };
}
