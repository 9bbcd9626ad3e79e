// A link to another site. It opens a new tab; a note announces the new tab to screen readers.
import type { ReactNode } from 'react';
import { say } from '../words/say.ts';

type ExternalLinkProps = { href: string; className?: string; children: ReactNode };

export function ExternalLink({ href, className, children }: ExternalLinkProps) {
  return (
    <a className={className} href={href} target="_blank" rel="noopener noreferrer">
      {children}
      <span className="sr-only"> {say('(opens in a new tab)')}</span>
    </a>
  );
}
