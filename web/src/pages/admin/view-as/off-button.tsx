// A button of a learner that the team sees but cannot press, and the line that says so.
import type { LearnerView } from '@portal/contract';
import { Lock } from 'lucide-react';
import type { ReactNode, Ref } from 'react';
import { Icon } from '../../../ui/icon.tsx';
import { sayAround } from '../../../words/say.ts';
import styles from './view-as.module.css';

const LINE_ID = 'only-they';

/** The line that describes the buttons. It is always visible. */
export function OnlyThey({ person: { name, email } }: { person: LearnerView['person'] }) {
  return (
    <p id={LINE_ID} className={styles.only}>
      <Icon of={Lock} size={16} />
      <span>{sayAround('Only {name} can do this', { name: <bdi>{name || email}</bdi> })}</span>
    </p>
  );
}

type OffButtonProps = {
  size?: 'md' | 'lg';
  /** Id of an element that describes the button, besides the line of `OnlyThey`. */
  describedBy?: string;
  ref?: Ref<HTMLButtonElement>;
  children: ReactNode;
};

/** Uses `aria-disabled` instead of `disabled`, so that the button can be reached with the keyboard and explains itself. */
export function OffButton({ size = 'md', describedBy, ref, children }: OffButtonProps) {
  return (
    <button
      ref={ref}
      type="button"
      className={styles.off}
      data-size={size}
      aria-disabled="true"
      aria-describedby={describedBy ? `${describedBy} ${LINE_ID}` : LINE_ID}
    >
      {children}
    </button>
  );
}
