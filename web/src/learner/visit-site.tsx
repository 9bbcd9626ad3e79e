// A link to the partner's site, and the note that is shown with a code.
import { ArrowUpRight } from 'lucide-react';
import { type ButtonLook, buttonClass } from '../ui/button.tsx';
import { Icon } from '../ui/icon.tsx';
import { ExternalLink, withScheme } from '../ui/text.tsx';
import { say } from '../words/say.ts';

/** Returns the note that is shown with a code (R-PROD-19). */
export function saySingleUse(): string {
  return say("This code can only be used once. Visit the provider's website to redeem your offer.");
}

/** Opens the address in a new tab; `https://` is put before an address without a scheme (R-PROD-20 to R-PROD-23). */
export function VisitSite({ url, look = 'inverse' }: { url: string } & Pick<ButtonLook, 'look'>) {
  return (
    <ExternalLink className={buttonClass({ look, size: 'lg', block: true })} href={withScheme(url)}>
      {say('Visit Site To Redeem')}
      <Icon of={ArrowUpRight} />
    </ExternalLink>
  );
}
