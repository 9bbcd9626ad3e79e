// The menu of one product in the access card: change the dates, remove the access, mail the link to the code, revoke the
// code (R-LIFE-32, R-TRAIL-34, N-97).
// Contains only the acts that the role of the current user allows; without any act there is no menu (N-93).
import { editGrant, REVOKE_ONLY_ROLE, revokeCoupon, sendCodeMail, withdrawGrant } from '@portal/contract';
import { CalendarRange, RefreshCw, Send, TicketX, UserMinus } from 'lucide-react';
import { ActMenu } from '../../../ui/act-menu.tsx';
import type { Act } from '../../../ui/act-menu-items.tsx';
import { isolate } from '../../../ui/isolate.ts';
import { say } from '../../../words/say.ts';
import { useMay } from '../role-gate.tsx';
import { type AccessAct, type AccessProduct, isAhead, isPossible } from './access.ts';

type AccessMenuProps = { product: AccessProduct; onAct: (act: AccessAct) => void };

export function AccessMenu({ product, onAct }: AccessMenuProps) {
  const may = useMay();
  const { grants } = product;
  const access: Act[] = [];
  if (may(editGrant))
    access.push({
      label: say('Change dates'),
      icon: CalendarRange,
      obstacle: isPossible('dates', product) ? undefined : sayWhyNot('dates', grants),
      onChoose: () => onAct('dates'),
    });
  if (may(withdrawGrant))
    access.push({
      label: say('Remove access'),
      icon: UserMinus,
      obstacle: isPossible('remove', product) ? undefined : sayWhyNot('remove', grants),
      onChoose: () => onAct('remove'),
    });
  const code: Act[] = [];
  if (may({ role: REVOKE_ONLY_ROLE }))
    code.push({
      label: say('Revoke code'),
      icon: TicketX,
      danger: true,
      onChoose: () => onAct('revoke'),
    });
  if (may(revokeCoupon))
    code.push({ label: say('Revoke and replace'), icon: RefreshCw, onChoose: () => onAct('replace') });
  const mail: Act[] = [];
  if (may(sendCodeMail) && product.coupon?.state === 'held')
    mail.push({ label: say('Mail the link to the code'), icon: Send, onChoose: () => onAct('mail') });
  const groups = [access, mail, isPossible('revoke', product) ? code : []];
  if (groups.flat().length === 0) return null;
  return <ActMenu label={say('More for {product}', { product: product.name })} groups={groups} />;
}

/**
 * Returns why this action is not possible: the access comes from cohorts or purchases, all of which the text names
 * (N-97), or the user has no access now.
 */
function sayWhyNot(act: 'dates' | 'remove', grants: AccessProduct['grants']): string {
  const ahead = grants.filter(isAhead);
  // A cohort may have several grants of the product.
  const cohorts = [...new Set(ahead.flatMap(({ cohort }) => (cohort ? isolate(cohort.name) : [])))];
  const texts = ahead.flatMap(({ purchase_id: id }) =>
    id ? say('Comes with purchase {purchase_id}.', { purchase_id: isolate(id) }) : [],
  );
  if (cohorts.length > 0) texts.unshift(sayCohorts(act, cohorts));
  return [...new Set(texts)].join(' ') || say('This person has no access now.');
}

function sayCohorts(act: 'dates' | 'remove', names: readonly string[]): string {
  const cohort = names.join(', ');
  if (act === 'remove') return say('Remove this person from {cohort} instead.', { cohort });
  return names.length === 1
    ? say('Comes with cohort {cohort}. Change it there.', { cohort })
    : say('Comes with the cohorts {cohorts}. Change it there.', { cohorts: cohort });
}
