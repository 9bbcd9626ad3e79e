// The card that archives a cohort, or brings it back (R-COHORT-04, R-COHORT-22).
import type { CohortRecord } from '@portal/contract';
import { editCohort } from '@portal/contract';
import { Archive, ArchiveRestore } from 'lucide-react';
import { useState } from 'react';
import { call } from '../../../api.ts';
import { Button } from '../../../ui/button.tsx';
import card from '../../../ui/card.module.css';
import { CardBody } from '../../../ui/card-body.tsx';
import { Icon } from '../../../ui/icon.tsx';
import { say } from '../../../words/say.ts';
import { refreshLists } from '../changes.ts';
import { tellRefusal, tellSuccess } from '../refusal-toast.ts';
import { useRoleRefusal } from '../role-gate.tsx';
import { ArchiveDialog } from './archive-dialog.tsx';
import styles from './cohorts.module.css';

export function ArchiveCard({ cohort }: { cohort: CohortRecord }) {
  const [isAsking, setAsking] = useState(false);
  const [busy, setBusy] = useState(false);
  const { isOff, noteRefusal } = useRoleRefusal();
  const { cohort_id: id, name, note, version, archived } = cohort;
  const bringBack = async () => {
    setBusy(true);
    try {
      await call(editCohort, { params: { id }, body: { name, note, version, archived: false } });
      tellSuccess(say('Cohort brought back'));
    } catch (error) {
      noteRefusal(error);
      tellRefusal(error, say('Failed to bring the cohort back'));
    }
    // After a refusal too: somebody else may have changed the cohort meanwhile.
    refreshLists('users');
    setBusy(false);
  };
  return (
    <section className={card.card} aria-label={say('Archive Cohort')}>
      <CardBody>
        <div className={styles.archive}>
          <div>
            <h2>{archived ? say('This cohort is archived') : say('Archive Cohort')}</h2>
            <p>
              {archived
                ? say('It gives nothing and is not offered in choices. Its members stay.')
                : say(
                    'Ends what this cohort gives and hides it from choices. Members stay; bringing it back restores it.',
                  )}
            </p>
          </div>
          {archived ? (
            <Button size="sm" look="primary" busy={busy} disabled={isOff} onClick={() => void bringBack()}>
              {!busy && <Icon of={ArchiveRestore} size={16} />}
              {say('Bring back')}
            </Button>
          ) : (
            <Button size="sm" onClick={() => setAsking(true)}>
              <Icon of={Archive} size={16} />
              {say('Archive Cohort')}
            </Button>
          )}
        </div>
      </CardBody>
      {isAsking && <ArchiveDialog cohort={cohort} onClose={() => setAsking(false)} />}
    </section>
  );
}
