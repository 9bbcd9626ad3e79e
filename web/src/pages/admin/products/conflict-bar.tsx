// Shows a warning above the Save button: somebody else has changed the product since the form loaded it (N-109).
import { TriangleAlert } from 'lucide-react';
import { useEffect, useRef } from 'react';
import { Button } from '../../../ui/button.tsx';
import { Icon } from '../../../ui/icon.tsx';
import { sayDate } from '../../../words/format.ts';
import { say, sayCount } from '../../../words/say.ts';
import styles from './product-page.module.css';
import type { Conflict } from './use-product-edit.ts';

type ConflictBarProps = {
  conflict: Conflict;
  /** Number of fields in which the form differs from the version that somebody else saved. */
  count: number;
  onShow: () => void;
};

export function ConflictBar({ conflict: { theirs, busy }, count, onShow }: ConflictBarProps) {
  const bar = useRef<HTMLDivElement>(null);
  const isShown = theirs !== null;
  // When the warning appears, the button 'Show their version' gets the focus. After a click on it, the first button
  // 'Use theirs' gets the focus, or the Save button if no field differs.
  useEffect(() => {
    const form = bar.current?.closest('form');
    const target = isShown
      ? (form?.querySelector<HTMLElement>('[data-theirs] button') ?? form?.querySelector('[type=submit]'))
      : bar.current?.querySelector('button');
    (target as HTMLElement | null | undefined)?.focus();
  }, [isShown]);
  return (
    <div ref={bar} role="alert" className={styles.conflict}>
      <Icon of={TriangleAlert} size={18} className={styles.sign} />
      <div>
        <p className={styles.strong}>{say('Somebody else changed this product meanwhile.')}</p>
        <p>{theirs ? sayTheirs(theirs, count) : say('What you typed is still here.')}</p>
      </div>
      {!isShown && (
        <Button size="sm" busy={busy} onClick={onShow}>
          {say('Show their version')}
        </Button>
      )}
    </div>
  );
}

function sayTheirs({ by, at }: NonNullable<Conflict['theirs']>, count: number): string {
  const time = sayDate(new Date(at), { dateStyle: 'medium', timeStyle: 'short' });
  const differ = sayCount(count, { one: '{count} field differs.', other: '{count} fields differ.' });
  return `${say('{who}, {time}.', { who: by, time })} ${differ} ${say('Save Changes keeps what stands in the form.')}`;
}
