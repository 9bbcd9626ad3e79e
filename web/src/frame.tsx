// The frame of every page: header, footer, skip link, and the notice of an ended session (R-HDR-01 to R-HDR-08,
// R-FTR-01 to R-FTR-05).
import { LANGUAGE_CHOICE, type Language, languages } from '@portal/contract';
import { type ReactNode, useState, useSyncExternalStore } from 'react';
import { Link } from 'wouter';
import { logOut } from './auth.ts';
import { useCurrentUser, useSession } from './queries.ts';
import { brand, version } from './settings.ts';
import { opensLogin } from './sign-in/store.tsx';
import { getTheme, subscribeToTheme } from './theme.ts';
import { Button, buttonClass } from './ui/button.tsx';
import { classes } from './ui/dom.ts';
import { Notice } from './ui/notice.tsx';
import { ExternalLink } from './ui/text.tsx';
import { currentLocale } from './words/format.ts';
import { t, tNode, tServed } from './words/translate.ts';

type HeaderProps = {
  /** The entries of the staff pages. */
  nav?: ReactNode;
  /** Stands between the link to the home page and the user's address. */
  children?: ReactNode;
  /** Stands after the button `Logout`. */
  menu?: ReactNode;
};

/** Only staff pages have entries, children and a menu; staff/header.module.css lays them out. */
export function Header({ nav, children, menu }: HeaderProps) {
  const { status } = useSession();
  return (
    <header className="bg-page">
      <div className="wrap flex min-h-16 items-center gap-4 md:min-h-18">
        <Link
          href="/"
          className={classes(
            'inline-flex min-h-8 items-center gap-2.5 rounded-xs text-[1.0625rem] font-semibold tracking-snug',
            // On phones, the address of a signed-in user needs space beside the provider's name; 'Login' is short.
            status === 'signed-out' ? 'min-w-0' : 'max-w-[45vw] flex-none',
          )}
        >
          <Logo />
        </Link>
        {nav}
        {children}
        <div
          className={classes(
            'flex min-h-8 flex-1 items-center justify-end gap-4 text-md',
            status !== 'signed-out' && 'min-w-0',
          )}
        >
          <Account />
          {menu}
        </div>
      </div>
    </header>
  );
}

function Account() {
  const session = useSession();
  const user = useCurrentUser();
  const [leaving, setLeaving] = useState(false);

  // The session, or its user, is not known yet.
  if (session.status === 'loading' || (session.status === 'signed-in' && user.isPending)) {
    return (
      // Without the key, React would reuse this element for the e-mail address, which screen readers would then announce.
      <span key="waiting" role="status" className="text-ink-3">
        {t('Loading...')}
      </span>
    );
  }
  if (session.status === 'signed-out') {
    return (
      <Button size="sm" {...opensLogin}>
        {t('Login')}
      </Button>
    );
  }
  const leave = () => {
    setLeaving(true);
    void logOut();
  };
  const email = user.data?.email ?? session.email;
  return (
    <>
      <span className="truncate text-ink-2" title={email}>
        {email}
      </span>
      <Button size="sm" busy={leaving} onClick={leave} data-leaves="">
        {t('Logout')}
      </Button>
    </>
  );
}

/** SVG path. Leaves half a pixel on each side for the rim, which makes a ticket in a pale colour visible. */
const TICKET =
  'M6 2.5h14a3.5 3.5 0 0 1 3.5 3.5v3.13a3.9 3.9 0 0 0 0 7.74V20a3.5 3.5 0 0 1-3.5 3.5H6A3.5 3.5 0 0 1 2.5 20v-3.13a3.9 3.9 0 0 0 0-7.74V6A3.5 3.5 0 0 1 6 2.5Z';

/** The provider's logo, or a ticket with the first letter of the provider's name. */
function Logo() {
  const theme = useSyncExternalStore(subscribeToTheme, getTheme, () => 'system');
  if (brand.logo_url) {
    return (
      <picture className="min-w-0">
        {brand.logo_dark_url && theme === 'system' && (
          <source srcSet={brand.logo_dark_url} media="(prefers-color-scheme: dark)" />
        )}
        <img
          className="h-6.5 w-auto max-w-[min(100%,12rem)] object-contain object-left"
          src={(theme === 'dark' && brand.logo_dark_url) || brand.logo_url}
          alt={brand.name}
        />
      </picture>
    );
  }
  return (
    <>
      <svg
        className="text-accent"
        width="26"
        height="26"
        viewBox="0 0 26 26"
        aria-hidden="true"
        focusable="false"
      >
        <path className="stroke-accent-rim" fill="currentColor" d={TICKET} />
        <text className="fill-on-accent text-[13px] font-semibold" x="13" y="17.6" textAnchor="middle">
          {Array.from(brand.name)[0]}
        </text>
      </svg>
      <span className="truncate pr-0.5">{brand.name}</span>
    </>
  );
}

const LINK =
  'inline-block rounded-[2px] py-0.5 text-ink-2 underline-offset-[0.2em] hover:text-ink hover:underline';

/** With `isStaff`, also names the portal's version (R-DAY-55). */
export function Footer({ isStaff }: { isStaff: boolean }) {
  const social = brand.social_links.map(({ label, url }) => ({ label: tServed(label), url }));
  const legal = [
    { label: t('Terms'), url: brand.terms_url },
    { label: t('Privacy'), url: brand.privacy_url },
    { label: t('Refund policy'), url: brand.refund_url },
  ];
  return (
    <footer className="mt-[clamp(4rem,8vw,7rem)] border-t border-line text-sm text-ink-3">
      <div className="wrap flex flex-wrap items-center gap-x-5 gap-y-1 py-7 md:gap-x-8 md:gap-y-3">
        <Links label={t('Social')} links={social} />
        <Links label={t('Legal')} links={legal} className="md:ml-auto" />
        {/* The language link wraps together with the copyright notice, so it is never alone on a line. */}
        <div className="flex flex-wrap items-center gap-x-5 gap-y-1 md:gap-x-8">
          <p>{brand.copyright}</p>
          {/* With kerning, the dots of a version would hardly be seen. */}
          {isStaff && <p className="[font-kerning:none]">{t('Version {version}', { version })}</p>}
          <LanguageSwitch />
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

/** Returns the address of this page in another language. */
export function inLanguage(tag: Language): URL {
  const url = new URL(location.href);
  url.searchParams.set(LANGUAGE_CHOICE, tag);
  return url;
}

/** Links to this page in the other languages, each with the language's own name. */
function LanguageSwitch() {
  const others = (Object.keys(languages) as Language[]).filter((tag) => tag !== currentLocale.language);
  return others.map((tag) => (
    // The link works without JavaScript. Its `href` has no path, so that the server can cache one 'not found' page for all
    // products that do not exist.
    <a
      key={tag}
      className={LINK}
      href={`?${LANGUAGE_CHOICE}=${tag}`}
      lang={tag}
      hrefLang={tag}
      onClick={({ currentTarget }) => {
        const { search, hash } = inLanguage(tag);
        currentTarget.search = search;
        currentTarget.hash = hash;
      }}
    >
      {languages[tag]}
    </a>
  ));
}

/** The first element that keyboard users reach: a link to the main content. */
export function SkipLink() {
  return (
    <a
      href="#main"
      className={buttonClass({
        look: 'primary',
        className: 'absolute left-(--gutter) -top-16 z-(--z-toast) focus:top-3',
      })}
    >
      {t('Skip to content')}
    </a>
  );
}

/** Shown on learners' pages if the session ended without a logout. */
export function SignedOut() {
  const login = (
    <button type="button" className="link -my-0.5 min-h-6" {...opensLogin}>
      {t('Login')}
    </button>
  );
  return (
    <div className="wrap text-md">
      <Notice className="mt-4">
        {tNode('You were signed out. {login} to go on where you were.', { login })}
      </Notice>
    </div>
  );
}
