// Shows below a form field the value that somebody else has saved meanwhile. A button copies this value into the field.
import { useRef } from 'react';
import { Button } from '../../../ui/button.tsx';
import { say } from '../../../words/say.ts';
import styles from './product-page.module.css';

export function TheirsBar({ label, words, onUse }: { label: string; words: string; onUse: () => void }) {
  const bar = useRef<HTMLDivElement>(null);
  const use = () => {
    // After the value is copied, this bar and its button are removed. So the focus moves from the button to the field
    // above the bar.
    bar.current?.parentElement?.querySelector<HTMLElement>('input, textarea')?.focus();
    onUse();
  };
  return (
    <div ref={bar} className={styles.theirs} data-theirs="">
      <p>
        <span className={styles.whose}>{say('Their version')}</span>
        <span dir="auto" className={styles.value}>
          {words === '' ? say('(empty)') : words}
        </span>
      </p>
      <Button size="sm" look="ghost" aria-label={say('Use theirs: {field}', { field: label })} onClick={use}>
        {say('Use theirs')}
      </Button>
    </div>
  );
}
