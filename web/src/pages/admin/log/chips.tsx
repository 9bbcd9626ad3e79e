// A row of buttons that filters the timeline by the kind of its acts (N-79).
import { say } from '../../../words/say.ts';
import { listKinds } from './kinds.ts';
import styles from './log.module.css';

/** `value` is a kind, or '' for all. */
export function Chips({ value, onChange }: { value: string; onChange: (kind: string) => void }) {
  return (
    <fieldset className={styles.chips} aria-label={say('Show')}>
      {[{ value: '', label: say('All') }, ...listKinds()].map((kind) => (
        <button
          key={kind.value}
          type="button"
          aria-pressed={kind.value === value}
          onClick={() => kind.value !== value && onChange(kind.value)}
        >
          {kind.label}
        </button>
      ))}
    </fieldset>
  );
}
