// Shown instead of rows if a list is empty.
import { Inbox } from 'lucide-react';
import type { ReactNode } from 'react';
import styles from './data-table.module.css';
import { Icon } from './icon.tsx';

export function NoRows({ children }: { children: ReactNode }) {
  return (
    <div className={styles.empty} data-no-rows="">
      <Icon of={Inbox} size={24} />
      {children}
    </div>
  );
}
