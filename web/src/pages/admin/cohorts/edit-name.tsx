// The button that opens the dialog for the name and the note of a cohort.
import type { CohortRecord } from '@portal/contract';
import { Pencil } from 'lucide-react';
import { useState } from 'react';
import { Button } from '../../../ui/button.tsx';
import { Icon } from '../../../ui/icon.tsx';
import { say } from '../../../words/say.ts';
import styles from './cohorts.module.css';
import { EditNameDialog } from './edit-name-dialog.tsx';

export function EditName({ cohort }: { cohort: CohortRecord }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button size="sm" look="ghost" className={styles.edit} onClick={() => setOpen(true)}>
        <Icon of={Pencil} size={16} />
        {say('Edit name')}
      </Button>
      {isOpen && <EditNameDialog cohort={cohort} onClose={() => setOpen(false)} />}
    </>
  );
}
