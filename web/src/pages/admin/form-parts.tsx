// What every form of staff begins and ends with.
import { History } from 'lucide-react';
import { Button } from '../../ui/button.tsx';
import { Notice } from '../../ui/notice.tsx';
import { say } from '../../words/say.ts';
import styles from './admin.module.css';
import type { useForm } from './use-form.ts';

type FormFootProps = Pick<ReturnType<typeof useForm>, 'busy' | 'onClear'> & { save: string };

/** Says that the form holds what was typed before the session ended. */
export function TypedAgain({ onClear }: Pick<FormFootProps, 'onClear'>) {
  return (
    <div role="status" className={styles.status}>
      {onClear && (
        <Notice icon={History}>
          {say('What you typed before you were signed out is here again. It was not saved yet.')}
        </Notice>
      )}
    </div>
  );
}

/** `save`: what the button says. */
export function FormFoot({ busy, onClear, save }: FormFootProps) {
  return (
    <div className={styles.foot}>
      <Button look="primary" type="submit" busy={busy}>
        {busy ? say('Saving...') : save}
      </Button>
      {onClear && (
        <Button look="ghost" onClick={onClear}>
          {say('Clear')}
        </Button>
      )}
    </div>
  );
}
