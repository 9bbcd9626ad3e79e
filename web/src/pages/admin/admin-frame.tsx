// The layout of an admin page: its title, what stands beside the title, and a grid of cards.
import { ArrowLeft } from 'lucide-react';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { Page } from '../../parts/page.tsx';
import { Icon } from '../../ui/icon.tsx';
import { say } from '../../words/say.ts';
import styles from './admin.module.css';

type AdminFrameProps = {
  title: string;
  /** The list to which a page of one thing leads back. */
  back?: { href: string; label: string };
  /** A tag after the title. */
  tag?: ReactNode;
  /** Stands to the right of the title. */
  aside?: ReactNode;
  children: ReactNode;
};

export function AdminFrame({ title, back, tag, aside, children }: AdminFrameProps) {
  return (
    <Page title={`${title} · ${say('Admin')}`} className={styles.page}>
      {back && (
        <Link href={back.href} className={styles.toList}>
          <Icon of={ArrowLeft} size={16} />
          {back.label}
        </Link>
      )}
      <div className={styles.head}>
        <div className={styles.headline}>
          <h1 dir="auto" className={styles.title}>
            {title}
          </h1>
          {tag}
        </div>
        {aside}
      </div>
      <div className={styles.grid}>{children}</div>
    </Page>
  );
}
