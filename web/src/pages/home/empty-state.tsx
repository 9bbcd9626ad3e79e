// The text for a learner without products. The text depends on the address of the home page (R-HOME-15 to R-HOME-18).
import { ArrowUpRight, Mail } from 'lucide-react';
import type { ReactNode } from 'react';
import { brand } from '../../brand.ts';
import { buttonClass } from '../../ui/button.tsx';
import { ExternalLink } from '../../ui/external-link.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Ticket } from '../../ui/ticket.tsx';
import { TicketMain } from '../../ui/ticket-main.tsx';
import { TicketStub } from '../../ui/ticket-stub.tsx';
import { say, sayAround } from '../../words/say.ts';

/** The address of the home page: `everyone` for /, `accelerator` for /accelerator, `fellowship` for /fellowship. */
export type Audience = 'everyone' | 'accelerator' | 'fellowship';

const ACTION = buttonClass({ look: 'primary', size: 'lg', block: true });

export function EmptyState({ audience }: { audience: Audience }) {
  if (audience === 'fellowship') {
    return (
      <Blank
        heading={say('Sorry. You do not have access to any tools. Please reach out to your cohort manager')}
      />
    );
  }
  if (audience === 'accelerator') {
    const call = (
      <ExternalLink className={ACTION} href={brand.onboarding_call_url}>
        {say('Book an Onboarding Call')}
        <Icon of={ArrowUpRight} />
      </ExternalLink>
    );
    return (
      <Blank heading={say('You do not have access to any tools yet')} action={call}>
        {say('Tool access for the accelerator opens after your onboarding call.')}
      </Blank>
    );
  }
  const mail = `mailto:${brand.support_email}`;
  const address = (
    <a className="link wrap-anywhere" href={mail}>
      {brand.support_email}
    </a>
  );
  const write = (
    <a className={ACTION} href={mail}>
      <Icon of={Mail} />
      {say('Write to support')}
    </a>
  );
  return (
    <Blank heading={say('No tools on this account yet')} action={write}>
      {sayAround(
        'If you expected to see tools here, write to us at {email} from the email you used at purchase.',
        { email: address },
      )}
    </Blank>
  );
}

function Blank({ heading, action, children }: { heading: string; action?: ReactNode; children?: ReactNode }) {
  return (
    <Ticket state="blank" layout="turning" className="mt-[clamp(1.75rem,3.5vw,2.75rem)]">
      <TicketMain>
        <h2 className="max-w-[34ch] text-xl">{heading}</h2>
        {children && <p className="max-w-[48ch] text-ink-2">{children}</p>}
      </TicketMain>
      <TicketStub layout="turning" print="blank">
        {action}
      </TicketStub>
    </Ticket>
  );
}
