// The navigation bar of the admin pages, under the header (R-ANAV-01, R-ANAV-02, R-ACPN-01 to R-ACPN-03, A-52).
import { ArrowLeft } from 'lucide-react';
import { useEffect, useState } from 'react';
import { type AroundNavHandler, Link, Router, useLocation } from 'wouter';
import { followLink } from '../../parts/follow-link.ts';
import { buttonClass } from '../../ui/button.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Tag } from '../../ui/tag.tsx';
import { say } from '../../words/say.ts';
import styles from './admin.module.css';
import { useKnownCheck } from './use-admin-check.ts';

const listTabs = () => [
  { path: '/admin', label: say('Dashboard') },
  { path: '/admin/products', label: say('Products') },
  { path: '/admin/users', label: say('Users') },
  { path: '/admin/coupons', label: say('Coupons') },
];

export function AdminNav() {
  const { marked, goOnceMarked } = useTabs();
  const check = useKnownCheck();
  return (
    // Until the role of the user is checked, the bar is empty but keeps its height. So the page below does not move
    // after the check.
    <div className={styles.nav} data-checking={check === 'admin' ? undefined : ''}>
      <nav className={`wrap ${styles.row}`} aria-label={say('Admin')}>
        <Tag>{say('Admin')}</Tag>
        <Router aroundNav={goOnceMarked}>
          <ul className={styles.tabs}>
            {listTabs().map((tab) => (
              <li key={tab.path}>
                <Link href={tab.path} aria-current={isAt(marked, tab.path) ? 'page' : undefined}>
                  {tab.label}
                </Link>
              </li>
            ))}
          </ul>
        </Router>
        <Link href="/" className={buttonClass({ size: 'sm', className: styles.back })}>
          <Icon of={ArrowLeft} size={16} />
          {say('Back to Website')}
        </Link>
      </nav>
    </div>
  );
}

/**
 * Returns the path of the tab that is marked as current, and a function that handles clicks on tabs. A click first
 * marks the tab and opens the page one frame later. So the mark appears before the page, which takes longer to render.
 * If the path changes or another tab is clicked before that, the first page does not open.
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

// The paths of all admin pages are below `/admin`. So the dashboard's pages are listed.
const DASHBOARD = ['/admin', '/admin/activity'];

/** Returns true if `path` belongs to the tab with the path `tab`: the tab's own page, or a page below it. */
function isAt(path: string, tab: string): boolean {
  const at = path.replace(/(.)\/$/, '$1');
  return tab === '/admin' ? DASHBOARD.includes(at) : at === tab || at.startsWith(`${tab}/`);
}
