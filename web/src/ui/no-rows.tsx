// Shown instead of rows if a list is empty.
import { Inbox, type LucideIcon } from 'lucide-react';
import type { ReactNode } from 'react';
import styles from './data-table.module.css';
import { Icon } from './icon.tsx';

export function NoRows({ icon = Inbox, children }: { icon?: LucideIcon | undefined; children: ReactNode }) {
  return (
    <div className={styles.empty} data-no-rows="">
      <Icon of={icon} size={24} />
      {children}
    </div>
  );
}
