// A small button that copies a code to the clipboard.
import { Check, Copy } from 'lucide-react';
import { useCopy } from '../../../parts/use-copy.ts';
import { Icon } from '../../../ui/icon.tsx';
import { say } from '../../../words/say.ts';
import { tellCopied } from '../tell-copied.ts';
import styles from './clear-code.module.css';

export function CopyCode({ code }: { code: string }) {
  const { copied, copy } = useCopy();
  const press = async () => tellCopied(await copy(code));
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
