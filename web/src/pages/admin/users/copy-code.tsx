// A small button that copies a code to the clipboard.
import { Check, Copy } from 'lucide-react';
import { useCopy } from '../../../parts/use-copy.ts';
import { Icon } from '../../../ui/icon.tsx';
import { showToast } from '../../../ui/toast-store.ts';
import { say } from '../../../words/say.ts';
import styles from './access.module.css';

export function CopyCode({ code }: { code: string }) {
  const { copied, copy } = useCopy();
  const press = async () =>
    showToast(
      (await copy(code))
        ? { title: say('Code copied!') }
        : { title: say('Failed to copy'), variant: 'destructive' },
    );
  const label = say('Copy {code}', { code });
  return (
    <button
      type="button"
      className={styles.copy}
      aria-label={label}
      title={say('Copy')}
      onClick={() => void press()}
    >
      <Icon of={copied ? Check : Copy} size={16} />
    </button>
  );
}
