// The layout of an admin page: the title, the elements beside the title, and the cards.

import { listAudit, type ReplyOf, type TeamRole } from '@portal/contract';
import { useQuery } from '@tanstack/react-query';
import { ArrowLeft } from 'lucide-react';
import type { ReactElement, ReactNode } from 'react';
import { createContext, isValidElement, useContext, useEffect, useRef, useState } from 'react';
import { type AroundNavHandler, Link, Router, useLocation } from 'wouter';
import { type Call, isNotFound } from '../api.ts';
import { followLink } from '../navigation.ts';
import { LoadError, Page } from '../page.tsx';
import { queryOf } from '../queries.ts';
import { buttonClass } from '../ui/button.tsx';
import { CARD } from '../ui/card.tsx';
import { classes } from '../ui/dom.ts';
import { Icon, Skeleton } from '../ui/icon.tsx';
import { StatusLine } from '../ui/notice.tsx';
import { NoRows } from '../ui/table.tsx';
import { Tag } from '../ui/tag.tsx';
import { t } from '../words/translate.ts';
import styles from './header.module.css';
import { Timeline } from './log/timeline.tsx';
import { RoleGate } from './role.tsx';

/** A grid of twelve columns. A card is as wide as the grid, unless it has a class such as `lg:col-span-6`. */
export const CARDS = 'grid grid-cols-12 gap-5 *:col-span-12';

/** The element at the right end of the title's row, for the headings of `AddCards`. Null before the first render. */
export const BesideTitle = createContext<HTMLElement | null>(null);

type AdminFrameProps = {
  title: string;
  /** Title of the browser tab; `title` if missing. */
  tabTitle?: string;
  /** Link to the list of the item that the page shows, in place of tabs (N-114). */
  back?: { href: string; label: string } | undefined;
  /** Stands after the title, such as the status of a product. */
  tag?: ReactNode;
  /** Stands to the right of the title, such as a button. */
  aside?: ReactNode;
  /** Stands below the title, such as the address of a person. */
  lines?: ReactNode;
  children: ReactNode;
};

export function AdminFrame({ title, tabTitle = title, ...props }: AdminFrameProps) {
  const subTabs = useContext(SubTabsContext);
  const { back, tag, aside, lines, children } = props;
  const [beside, setBeside] = useState<HTMLElement | null>(null);
  return (
    <Page title={`${tabTitle} · ${t('Admin')}`} className="text-md pt-[clamp(1.5rem,_3vw,_2.5rem)]">
      {back && (
        <Link
          href={back.href}
          className="text-sm inline-flex items-center gap-1.5 mb-1.5 py-1 rounded-xs text-ink-2 hover:text-ink"
        >
          <Icon of={ArrowLeft} size={16} />
          {back.label}
        </Link>
      )}
      <div className="flex flex-wrap items-center justify-between gap-x-2 gap-y-1 mb-6 [&:has(+nav)]:mb-2 [&>:first-child]:min-w-0 md:[&:has(>:first-child>:nth-child(2))]:flex-nowrap md:[&:has(>:first-child>:nth-child(2))]:items-start">
        <div>
          <div className="flex flex-wrap items-center gap-x-3 gap-y-1.5">
            <h1 dir="auto" className="text-2xl wrap-anywhere">
              {title}
            </h1>
            {tag}
          </div>
          {lines}
        </div>
        <div
          ref={setBeside}
          className="flex flex-wrap gap-2 empty:hidden max-md:order-last max-md:mt-2 max-md:mb-1 max-md:basis-full max-md:flex-col max-md:gap-0 max-md:divide-y max-md:divide-line max-md:overflow-hidden max-md:rounded-lg max-md:border max-md:border-line max-md:bg-surface md:flex-none md:not-last:ml-auto print:hidden"
        />
        {aside}
      </div>
      {subTabs.length > 1 && <SubTabs tabs={subTabs} />}
      <BesideTitle value={beside}>
        <div className={CARDS}>{children}</div>
      </BesideTitle>
    </Page>
  );
}

/** The cards of a page before their content is here (R-DAY-61). `children` say what is loading. */
export function CardsLoading({ children }: { children?: ReactNode }) {
  return ['h-64', 'h-40'].map((height, index) => (
    <div key={height} className={classes(CARD, height, 'content-start gap-4 p-5')}>
      {index === 0 && children}
      <Skeleton className="h-4 w-[min(14rem,60%)]" />
      <Skeleton className="h-3 w-[85%]" />
      <Skeleton className="h-3 w-[70%]" />
    </div>
  ));
}

type RecordPageProps<C extends Call> = {
  /** The call that reads the thing with this id. */
  of: C & { role: TeamRole };
  id: string;
  /** True while something else is loading that the cards need to have their height (R-DAY-61). */
  isLoading?: boolean;
  /** Titles of the page for other roles; `title` if missing. */
  nothing?: Parameters<typeof NothingHerePage>[0];
  /** True if the page always opens with the newest state. */
  isFresh?: boolean;
  back: AdminFrameProps['back'];
  /** Title until the thing is loaded. */
  title: string;
  loading: string;
  notLoaded: string;
  /** For an unknown id: another page, or the texts of this one. */
  unknown: ReactElement | { heading: string; words: ReactNode };
  frame: (record: ReplyOf<C>) => Omit<AdminFrameProps, 'back' | 'children'>;
  timeline: Parameters<typeof Timeline>[0]['subject'];
  /** `reload` loads the thing again. */
  children: (record: ReplyOf<C>, reload: () => Promise<unknown>) => ReactNode;
};

/** A page of one thing, with its timeline at the end. Another thing in the URL resets all that was typed. */
export function RecordPage<C extends Call>(props: RecordPageProps<C>) {
  const { of, id, title, nothing = { title } } = props;
  return (
    <RoleGate to={of} otherwise={<NothingHerePage {...nothing} />}>
      <RecordOf key={id} {...props} />
    </RoleGate>
  );
}

function RecordOf<C extends Call>({ of, id, isFresh, back, frame, children, ...props }: RecordPageProps<C>) {
  const { isLoading, title, loading, notLoaded, unknown, timeline } = props;
  const query = useQuery({ ...queryOf<Call>(of, { id }), ...(isFresh && { gcTime: 0 }) });
  const isUnknown = isNotFound(query.error);
  if (isUnknown && isValidElement(unknown)) return unknown;
  if (query.data !== undefined && !isLoading) {
    const record = query.data as ReplyOf<C>;
    return (
      // The key draws the frame anew: a long title would otherwise move the cards down.
      <AdminFrame key="loaded" {...frame(record)} back={back}>
        {children(record, query.refetch)}
        <RoleGate to={listAudit}>
          <Timeline subject={timeline} />
        </RoleGate>
      </AdminFrame>
    );
  }
  const missing = isUnknown && !isValidElement(unknown) ? unknown : undefined;
  return (
    <AdminFrame title={missing?.heading ?? title} back={back}>
      {(query.isPending || query.data !== undefined) && (
        <CardsLoading>
          <StatusLine>{loading}</StatusLine>
        </CardsLoading>
      )}
      {missing && <p>{missing.words}</p>}
      {query.isError && !missing && <LoadError words={notLoaded} onRetry={() => void query.refetch()} />}
    </AdminFrame>
  );
}

const listTabs = () => [
  { path: '/admin', label: t('Dashboard') },
  { path: '/admin/products', label: t('Products') },
  { path: '/admin/users', label: t('Users') },
  { path: '/admin/coupons', label: t('Coupons') },
];

/** Width of the strip's fading edge in pixels (header.module.css). */
const STRIP_EDGE = 40;

/** Classes of a tab: a link above a line. The part of the line below the link of the current page is dark. */
const TAB =
  'relative flex items-center rounded-sm font-medium text-ink-2 after:absolute after:h-0.5 hover:text-ink focus-visible:-outline-offset-2 aria-[current]:text-ink aria-[current]:after:bg-ink forced-colors:after:forced-color-adjust-none forced-colors:aria-[current]:after:bg-[Highlight]';

/**
 * The entries in the header (R-ANAV-01, R-ANAV-02, R-ACPN-01 to R-ACPN-03, R-DAY-60, A-52). On phones they are a strip
 * that scrolls.
 */
export function AdminNav() {
  const { marked, goOnceMarked } = useTabs();
  const strip = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const current = strip.current?.querySelector<HTMLElement>('[aria-current]');
    if (!strip.current || !current) return;
    const { scrollLeft, clientWidth } = strip.current;
    const { offsetLeft, offsetWidth } = current;
    if (offsetLeft < scrollLeft || offsetLeft + offsetWidth > scrollLeft + clientWidth - STRIP_EDGE)
      strip.current.scrollTo({ left: offsetLeft - STRIP_EDGE });
  }, [marked]);
  return (
    <div ref={strip} className={classes(styles.nav, 'text-md lg:max-xl:text-sm')}>
      <nav className="flex w-max min-w-full items-center gap-x-2 xl:gap-x-3" aria-label={t('Admin')}>
        <span className="flex max-md:order-last">
          <Tag>{t('Admin')}</Tag>
        </span>
        <Router aroundNav={goOnceMarked}>
          <ul className="flex xl:gap-1">
            {listTabs().map((tab) => (
              <li key={tab.path}>
                <Link
                  href={tab.path}
                  className={classes(
                    TAB,
                    'h-11 px-2 after:inset-x-2 after:bottom-0 md:max-lg:px-3 md:max-lg:after:inset-x-3 lg:h-15 lg:after:-bottom-px xl:px-3 xl:after:inset-x-3',
                  )}
                  aria-current={isAt(marked, tab.path) ? 'page' : undefined}
                >
                  {tab.label}
                </Link>
              </li>
            ))}
          </ul>
        </Router>
        <Link
          href="/"
          className={buttonClass({
            look: 'ghost',
            size: 'sm',
            className: 'ml-auto px-2! focus-visible:-outline-offset-2',
          })}
        >
          <Icon of={ArrowLeft} size={16} className="lg:max-xl:hidden" />
          {t('Back to Website')}
        </Link>
      </nav>
    </div>
  );
}

/**
 * Returns the path of the tab that is marked as current, and a handler of clicks on tabs. A click marks the tab, and
 * opens its page one frame later: so the mark does not wait until the page is rendered. If the path changes or another
 * tab is clicked before that, the page does not open.
 */
function useTabs() {
  const [path] = useLocation();
  const [pressed, setPressed] = useState<{ to: string; go: () => void } | null>(null);
  const goOnceMarked: AroundNavHandler = (navigate, to, options) => {
    setPressed({ to, go: () => followLink(navigate, to, options) });
  };
  useEffect(() => {
    if (!pressed) return;
    let turn: ReturnType<typeof setTimeout>;
    const frame = requestAnimationFrame(() => {
      turn = setTimeout(() => {
        pressed.go();
        setPressed(null);
      });
    });
    return () => {
      cancelAnimationFrame(frame);
      clearTimeout(turn);
    };
  }, [pressed]);
  useEffect(() => setPressed(null), [path]);
  return { marked: pressed?.to ?? path, goOnceMarked };
}

// All paths are below `/admin`, the path of the dashboard's tab. So the pages of this tab are listed.
const DASHBOARD = ['/admin', '/admin/activity'];

/** Returns true if `path` is the page of the tab, or below it. */
function isAt(path: string, tab: string): boolean {
  const at = path.replace(/(.)\/$/, '$1');
  return tab === '/admin' ? DASHBOARD.includes(at) : at === tab || at.startsWith(`${tab}/`);
}

type SubTab = { path: string; label: string };

/** The lists of the current page's section, as tabs; none on a page that shows one item. */
export const SubTabsContext = createContext<readonly SubTab[]>([]);

/** The pages of one section (C-1). */
function SubTabs({ tabs }: { tabs: readonly SubTab[] }) {
  const [path] = useLocation();
  return (
    <nav className="mb-6 border-b border-line" aria-label={t('Section')}>
      <ul className="-mx-3 flex gap-1 overflow-x-auto [scrollbar-width:none]">
        {tabs.map((tab) => (
          <li key={tab.path}>
            <Link
              href={tab.path}
              className={classes(TAB, 'h-10 px-3 whitespace-nowrap after:inset-x-3 after:bottom-0')}
              aria-current={path.replace(/\/$/, '') === tab.path ? 'page' : undefined}
            >
              {tab.label}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  );
}

/** Values by their labels, in one column each. A value that is null is left out. */
export function Facts({ of }: { of: Readonly<Record<string, ReactNode>> }) {
  return (
    <dl className="grid grid-cols-[fit-content(50%)_minmax(0,1fr)] gap-x-6 border-t border-line text-sm/6 max-md:gap-x-4">
      {Object.entries(of).map(
        ([label, value]) =>
          value !== null && (
            <div
              key={label}
              className="col-span-full grid grid-cols-subgrid border-b border-line py-1.75 last:border-b-0 last:pb-0"
            >
              <dt className="text-ink-3">{label}</dt>
              <dd className="min-w-0 wrap-anywhere tabular-nums">{value}</dd>
            </div>
          ),
      )}
    </dl>
  );
}

export function FactLink({ href, children }: { href: string; children: ReactNode }) {
  return (
    <Link href={href} className="inline-block text-accent-text underline underline-offset-[0.2em]" dir="auto">
      {children}
    </Link>
  );
}

/** In place of the content of a page that needs a higher role (R-TEAM-32, N-43). */
export function NothingHere() {
  return (
    <section className={CARD}>
      <NoRows>{t('Nothing here for your role.')}</NoRows>
    </section>
  );
}

export function NothingHerePage(titles: Pick<AdminFrameProps, 'title' | 'tabTitle'>) {
  return (
    <AdminFrame {...titles}>
      <NothingHere />
    </AdminFrame>
  );
}
