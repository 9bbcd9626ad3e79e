// The frame of a screen: its width, the title of its browser tab, and its description for search engines.
import { ArrowLeft, RefreshCw } from 'lucide-react';
import { createContext, type ReactNode, useContext, useEffect, useLayoutEffect, useRef } from 'react';
import { Link, useLocation } from 'wouter';
import { brand } from './settings.ts';
import { Button, type ButtonLook, buttonClass } from './ui/button.tsx';
import { classes, focusMain } from './ui/dom.ts';
import { Icon } from './ui/icon.tsx';
import { MessageCard, StatusLine } from './ui/notice.tsx';
import { t } from './words/translate.ts';

/** Class for a screen that starts with a link to the home page. Sets the space above this link. */
export const SCREEN_TOP = 'pt-[clamp(1rem,3vw,2.25rem)]';

/** An object in which `Page` stores title and description while the server renders. Null in the browser. */
export const HeadNotes = createContext<{ title: string; description: string } | null>(null);

/** A text that `Page` puts before each title. */
export const TitlePrefix = createContext('');

type PageProps = {
  /** Title of the browser tab. `Page` appends the academy's name, unless `exactTitle` is set or this is the name. */
  title: string;
  exactTitle?: boolean;
  description?: string;
  className?: string;
  children: ReactNode;
};

export function Page({ title, exactTitle, description = '', className, children }: PageProps) {
  const saysName = exactTitle || title.toLowerCase() === brand.name.toLowerCase();
  const fullTitle = useContext(TitlePrefix) + (saysName ? title : `${title} · ${brand.name}`);
  const notes = useContext(HeadNotes);
  if (notes) Object.assign(notes, { title: fullTitle, description });
  useEffect(() => {
    document.title = fullTitle;
  }, [fullTitle]);
  return <div className={classes('wrap flex-auto', className)}>{children}</div>;
}

export function CentredPage({ className, ...page }: PageProps) {
  return (
    <Page {...page} className={classes('grid place-items-center py-[clamp(2rem,8vw,6rem)]', className)} />
  );
}

/** Shown while the JavaScript of a screen is loading. */
export function ScreenLoading() {
  const [path] = useLocation();
  const isProduct = path.startsWith('/product/');
  return (
    <div className={classes('wrap', SCREEN_TOP)}>
      <StatusLine>{isProduct ? t('Loading product details...') : t('Loading...')}</StatusLine>
    </div>
  );
}

export function ScreenFailed({ heading, words }: { heading: string; words: string }) {
  return (
    <CentredPage title={heading}>
      <MessageCard icon={RefreshCw} tone="warning" heading={heading}>
        <p>{words}</p>
        <Button className="mt-4" onClick={() => location.reload()}>
          {t('Reload')}
        </Button>
      </MessageCard>
    </CentredPage>
  );
}

/** `words` is a sentence, for example 'We could not load your benefits.' `busy` is true during a retry. */
type LoadErrorProps = { words: string; busy?: boolean; onRetry: () => void };

export function LoadError({ words, busy, onRetry }: LoadErrorProps) {
  const button = useRef<HTMLButtonElement>(null);
  // If the loaded content replaces the focused button, the main content gets the focus.
  useLayoutEffect(() => {
    const element = button.current;
    return () => {
      if (element && element === document.activeElement) focusMain();
    };
  }, []);
  return (
    <div role="alert" className="mt-8 grid max-w-[48ch] justify-items-start gap-4">
      <p className="text-ink-2">
        {words} {t('Please check your connection and try again.')}
      </p>
      <Button ref={button} busy={busy} onClick={onRetry}>
        {!busy && <Icon of={RefreshCw} size={16} />}
        {t('Try again')}
      </Button>
    </div>
  );
}

/** For pages that offer no other link. */
export function BackHome({ look }: Pick<ButtonLook, 'look'>) {
  return (
    <Link href="/" className={buttonClass({ look, className: 'mt-4' })}>
      <Icon of={ArrowLeft} size={16} />
      {t('Back to Home')}
    </Link>
  );
}
