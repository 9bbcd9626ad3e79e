// The footer of every page: social links, policies, copyright, languages (R-FTR-01 to R-FTR-05).
import { brand } from '../brand.ts';
import { ExternalLink } from '../ui/external-link.tsx';
import { say, sayServed } from '../words/say.ts';
import { LanguageSwitch } from './language-switch.tsx';

const LINK =
  'inline-block rounded-[2px] py-0.5 text-ink-2 underline-offset-[0.2em] hover:text-ink hover:underline';

export function Footer() {
  const social = brand.social_links.map(({ label, url }) => ({ label: sayServed(label), url }));
  const legal = [
    { label: say('Terms'), url: brand.terms_url },
    { label: say('Privacy'), url: brand.privacy_url },
    { label: say('Refund policy'), url: brand.refund_url },
  ];
  return (
    <footer className="mt-[clamp(4rem,8vw,7rem)] border-t border-line text-sm text-ink-3">
      <div className="wrap flex flex-col items-start gap-x-8 gap-y-3 py-7 md:flex-row md:flex-wrap md:items-center">
        <Links label={say('Social')} links={social} />
        <Links label={say('Legal')} links={legal} className="md:ml-auto" />
        {/* The language link wraps together with the copyright notice, so it is never alone on a line. */}
        <div className="flex flex-col items-start gap-x-8 gap-y-3 md:flex-row md:items-center">
          <p>{brand.copyright}</p>
          <LanguageSwitch className={LINK} />
        </div>
      </div>
    </footer>
  );
}

type LinksProps = { label: string; links: { label: string; url: string }[]; className?: string };

function Links({ label, links, className }: LinksProps) {
  return (
    <nav aria-label={label} className={className}>
      <ul className="flex flex-wrap gap-x-5 gap-y-1">
        {links.map((link) => (
          <li key={link.label}>
            <ExternalLink className={LINK} href={link.url}>
              {link.label}
            </ExternalLink>
          </li>
        ))}
      </ul>
    </nav>
  );
}
