// Says that nobody has the address that was looked up, and offers known addresses that resemble it (R-COHORT-25).
import { useEffect, useRef } from 'react';
import { Button } from '../../../ui/button.tsx';
import { say } from '../../../words/say.ts';
import styles from './access.module.css';
import { sayUnknown } from './say-verdict.ts';

type AccessUnknownProps = {
  similar: readonly string[];
  /** True while one of the addresses is being looked up. */
  busy: boolean;
  onLookUp: (email: string) => void;
};

/** Takes the focus, also each time that another unknown address was looked up. */
export function AccessUnknown({ similar, busy, onLookUp }: AccessUnknownProps) {
  const sentence = useRef<HTMLParagraphElement>(null);
  useEffect(() => sentence.current?.focus(), [similar]);
  return (
    <div className={styles.unknown}>
      <p ref={sentence} tabIndex={-1} className={styles.name}>
        {sayUnknown()}
      </p>
      {similar.length > 0 && (
        <>
          <p className={styles.fact}>{say('Did they buy with another address?')}</p>
          <ul>
            {similar.map((email) => (
              <li key={email}>
                <Button size="sm" className={styles.similar} onClick={() => !busy && onLookUp(email)}>
                  {email}
                </Button>
              </li>
            ))}
          </ul>
        </>
      )}
    </div>
  );
}
