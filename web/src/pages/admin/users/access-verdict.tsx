// The line that says whether a person would get a code of a product now, with a button that shows why.
import type { Explanation, Verdict } from '@portal/contract';
import {
  Archive,
  CircleCheck,
  CircleDashed,
  CircleMinus,
  CirclePause,
  CircleSlash,
  Clock,
  Hourglass,
  type LucideIcon,
  Ticket,
  TicketSlash,
} from 'lucide-react';
import { Icon } from '../../../ui/icon.tsx';
import { say } from '../../../words/say.ts';
import styles from './access-why.module.css';
import { sayVerdict } from './say-verdict.ts';

/** 'yes': gets a code. 'wait': not at the moment. 'no': not any more. 'none': never could. */
type Look = 'yes' | 'wait' | 'no' | 'none';

const LOOKS: Record<Verdict, [look: Look, icon: LucideIcon]> = {
  unknown_person: ['none', CircleMinus],
  holds_code: ['yes', Ticket],
  code_revoked: ['no', TicketSlash],
  no_grant: ['none', CircleMinus],
  future: ['wait', Clock],
  over: ['no', CircleSlash],
  withdrawn: ['no', CircleSlash],
  product_archived: ['no', Archive],
  product_paused: ['wait', CirclePause],
  product_scheduled: ['wait', Clock],
  product_ended: ['wait', CircleDashed],
  sold_out: ['wait', CircleDashed],
  waiting: ['wait', Hourglass],
  can_redeem: ['yes', CircleCheck],
};

type AccessVerdictProps = {
  why: Explanation;
  /** Id of the button. */
  id: string;
  /** Id of the element with the product's name. */
  nameId: string;
  /** Id of the element with the reasons while it is shown, otherwise null. */
  reasonsId: string | null;
  onWhy: () => void;
};

/** The sentence alone says the verdict; icon and colour only make it easier to find. */
export function AccessVerdict({ why, id, nameId, reasonsId, onWhy }: AccessVerdictProps) {
  const [look, icon] = LOOKS[why.verdict] ?? LOOKS.no_grant;
  return (
    <div className={styles.verdict} data-is={look}>
      <Icon of={icon} size={16} />
      <p>
        <span>{sayVerdict(why)}</span>{' '}
        <button
          id={id}
          type="button"
          className={styles.button}
          aria-labelledby={`${id} ${nameId}`}
          aria-expanded={reasonsId !== null}
          aria-controls={reasonsId ?? undefined}
          onClick={onWhy}
        >
          {say('Why?')}
        </button>
      </p>
    </div>
  );
}
