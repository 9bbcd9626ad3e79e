// A row of links under the title of a list page: the pages of one section (C-1).
import { Link, useLocation } from 'wouter';
import { say } from '../../words/say.ts';
import styles from './sub-tabs.module.css';

export type SubTabsProps = { tabs: readonly { path: string; label: string }[] };

export function SubTabs({ tabs }: SubTabsProps) {
  const [path] = useLocation();
  return (
    <nav className={styles.subTabs} aria-label={say('Section')}>
      <ul>
        {tabs.map((tab) => (
          <li key={tab.path}>
            <Link href={tab.path} aria-current={path.replace(/\/$/, '') === tab.path ? 'page' : undefined}>
              {tab.label}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  );
}
