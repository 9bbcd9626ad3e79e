// The layout of an admin page: the title, the elements beside the title, and the cards.
import { ArrowLeft } from 'lucide-react';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { Page } from '../../parts/page.tsx';
import { Icon } from '../../ui/icon.tsx';
import { say } from '../../words/say.ts';
import styles from './admin.module.css';
import { SubTabs, type SubTabsProps } from './sub-tabs.tsx';

type AdminFrameProps = {
  title: string;
  /** Title of the browser tab; `title` if missing. */
  tabTitle?: string;
  /**
   * Links to the pages of the same section. Set only on a page that shows a list. A page that shows one item has `back`
   * instead (N-114).
   */
  subTabs?: SubTabsProps['tabs'] | undefined;
  /** Link to the list that contains the item. Set only on a page that shows one item. */
  back?: { href: string; label: string };
  /** Tag after the title, such as the status of a product. */
  tag?: ReactNode;
  /** Content to the right of the title, such as a button. */
  aside?: ReactNode;
  /** Lines below the title, such as the address of a person. */
  lines?: ReactNode;
  children: ReactNode;
};

export function AdminFrame({ title, tabTitle = title, subTabs, ...props }: AdminFrameProps) {
  const { back, tag, aside, lines, children } = props;
  return (
    <Page title={`${tabTitle} · ${say('Admin')}`} className={styles.page}>
      {back && (
        <Link href={back.href} className={styles.toList}>
          <Icon of={ArrowLeft} size={16} />
          {back.label}
        </Link>
      )}
      <div className={styles.head}>
        <div>
          <div className={styles.headline}>
            <h1 dir="auto" className={styles.title}>
              {title}
            </h1>
            {tag}
          </div>
          {lines}
        </div>
        {aside}
      </div>
      {subTabs && <SubTabs tabs={subTabs} />}
      <div className={styles.grid}>{children}</div>
    </Page>
  );
}
