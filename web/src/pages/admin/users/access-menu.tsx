// The menu of one product in the access card: change the dates, remove the access, revoke the code (R-LIFE-32, N-97).
import { CalendarRange, RefreshCw, TicketX, UserMinus } from 'lucide-react';
import { ActMenu } from '../../../ui/act-menu.tsx';
import type { Act } from '../../../ui/act-menu-items.tsx';
import { say } from '../../../words/say.ts';
import { type AccessAct, type AccessProduct, isAhead, isPossible } from './access.ts';

type AccessMenuProps = { product: AccessProduct; onAct: (act: AccessAct) => void };

export function AccessMenu({ product, onAct }: AccessMenuProps) {
  const { grants } = product;
  const access: Act[] = [
    {
      label: say('Change dates'),
      icon: CalendarRange,
      obstacle: isPossible('dates', product) ? undefined : sayWhyNot('dates', grants),
      onChoose: () => onAct('dates'),
    },
    {
      label: say('Remove access'),
      icon: UserMinus,
      obstacle: isPossible('remove', product) ? undefined : sayWhyNot('remove', grants),
      onChoose: () => onAct('remove'),
    },
  ];
  const code: Act[] = [
    { label: say('Revoke code'), icon: TicketX, danger: true, onChoose: () => onAct('revoke') },
    { label: say('Revoke and replace'), icon: RefreshCw, onChoose: () => onAct('replace') },
  ];
  return (
    <ActMenu
      label={say('More for {product}', { product: product.name })}
      groups={[access, isPossible('revoke', product) ? code : []]}
    />
  );
}

/**
 * Returns why this action is not possible: the access comes from a cohort or a purchase, or the user has no access now.
 */
function sayWhyNot(act: 'dates' | 'remove', grants: AccessProduct['grants']): string {
  const sources = grants.filter(isAhead).map(({ via }) => via);
  if (sources.includes('cohort'))
    return act === 'dates'
      ? say('Comes with a cohort. Change it there.')
      : say('Remove this person from the cohort instead.');
  if (sources.includes('purchase')) return say('Comes with a purchase.');
  return say('This person has no access now.');
}
