// The button that generates a code for a user, or replaces the user's code. If no code can be issued, it shows why.
import { RotateCw, TicketPlus, Timer } from 'lucide-react';
import { useId } from 'react';
import { Button } from '../../../ui/button.tsx';
import { classes } from '../../../ui/classes.ts';
import { Icon } from '../../../ui/icon.tsx';
import { showToast } from '../../../ui/toast-store.ts';
import { sayDay } from '../../../words/days.ts';
import { say } from '../../../words/say.ts';
import styles from './access.module.css';
import { type AccessProduct, findNextStart, hasAccess } from './access.ts';
import type { Locked } from './regeneration-lock.ts';
import { useMinutesLeft } from './use-minutes-left.ts';

type IssueButtonProps = {
  product: AccessProduct;
  of: Locked;
  /** Id of the element with the product's name. */
  nameId: string;
  busy: boolean;
  onPress: () => void;
};

// Uses `aria-disabled` instead of `disabled`: the button keeps the focus, and a click while the regeneration is locked
// must still show how many minutes are left (R-LOCK-03). One button stands for both acts, so that the focus stays on it
// when the first code arrives.
export function IssueButton({ product, of, nameId, busy, onPress }: IssueButtonProps) {
  const obstacleId = useId();
  const obstacle = sayObstacle(product);
  const saysMore = hasAccess(product) || product.status === 'archived';
  const minutes = useMinutesLeft(of);
  const press = () => {
    if (obstacle !== null) return;
    if (minutes === 0) return onPress();
    showToast({
      title: say('Please wait'),
      description: say('You can regenerate this coupon in {minutes} minute(s)', { minutes }),
      variant: 'destructive',
    });
  };
  return (
    <>
      <Button
        size="sm"
        busy={busy}
        aria-describedby={classes(nameId, obstacle !== null && obstacleId)}
        aria-disabled={obstacle !== null || minutes > 0 || undefined}
        onClick={press}
      >
        {!busy && (
          <Icon of={product.coupon === null ? TicketPlus : minutes > 0 ? Timer : RotateCw} size={16} />
        )}
        {sayAct(product, minutes)}
      </Button>
      {obstacle !== null && (
        // Without access the heading above the product says the same.
        <p id={obstacleId} className={saysMore ? classes(styles.fact, styles.obstacle) : 'sr-only'}>
          {obstacle}
        </p>
      )}
    </>
  );
}

function sayAct({ coupon }: AccessProduct, minutes: number): string {
  if (coupon === null) return say('Generate Coupon for User');
  return minutes > 0 ? say('Wait {minutes} min', { minutes }) : say('Regenerate Coupon');
}

/** Returns why the server refuses to issue a code of the product, or null if it does not refuse (R-LIFE-07). */
function sayObstacle({ status, grants }: AccessProduct): string | null {
  if (status === 'archived') return say('This product is archived.');
  if (grants.some(({ state }) => state === 'live')) return null;
  const day = findNextStart(grants);
  return day === null
    ? say('This person has no access now.')
    : say('Access begins on {day}.', { day: sayDay(day) });
}
