// The main piece of the ticket if the learner holds a code: the code is hidden, until a member of the team shows it. The
// log has a line of each code that is shown.
import type { LearnerView, ViewedTicket } from '@portal/contract';
import { revealCoupon } from '@portal/contract';
import { Copy } from 'lucide-react';
import { useRef, useState } from 'react';
import { Button } from '../../../ui/button.tsx';
import { Icon } from '../../../ui/icon.tsx';
import { say } from '../../../words/say.ts';
import type { IssuedCode } from '../../product/use-redemption.ts';
import { useReveals } from '../hidden-codes/use-reveals.ts';
import { RoleGate } from '../role-gate.tsx';
import { IssuedTicket } from './learner-page.ts';
import { OffButton } from './off-button.tsx';

type ViewedCodeProps = {
  person: LearnerView['person'];
  ticket: ViewedTicket;
  /** Its `code` is the dots and the hint that stand for the code. */
  issued: IssuedCode;
};

export function ViewedCode({ person, ticket: { coupon_id = '', hint }, issued }: ViewedCodeProps) {
  const reveals = useReveals();
  const shown = reveals.shown.get(coupon_id);
  const [busy, setBusy] = useState(false);
  const copyButton = useRef<HTMLButtonElement>(null);
  const show = async () => {
    setBusy(true);
    await reveals.show(coupon_id);
    setBusy(false);
    // The pressed button has gone. The next button gets its focus. The code describes that button, so screen readers
    // read the code. If the focus is elsewhere by now, it stays there.
    if (document.activeElement === document.body) copyButton.current?.focus();
  };
  const spoken = hint ? say('Code ending in {hint}', { hint }) : say('Hidden code');
  return (
    <IssuedTicket
      issued={{ ...issued, code: shown ?? issued.code }}
      spoken={shown === undefined ? spoken : undefined}
      holder={person.email}
      buttons={
        <>
          {shown === undefined && (
            <RoleGate to={revealCoupon}>
              <Button
                look="inverse-outline"
                aria-label={
                  hint ? say('Show the code ending in {hint}', { hint }) : say('Show the hidden code')
                }
                aria-disabled={reveals.isOff || undefined}
                busy={busy}
                onClick={() => void show()}
              >
                {say('Show')}
              </Button>
            </RoleGate>
          )}
          {/* Stays off when the code is shown (N-75). */}
          <OffButton ref={copyButton} describedBy="code">
            <Icon of={Copy} size={16} />
            {say('Copy')}
          </OffButton>
        </>
      }
    />
  );
}
