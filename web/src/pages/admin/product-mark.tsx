// The name of a product in a table, after the product's rosette (a small line drawing).
import type { ReactNode } from 'react';
import { Rosette } from '../../ui/rosette.tsx';
import styles from './product-mark.module.css';

/** `children` is the name, and what stands beside it. */
export function ProductMark({ id, children }: { id: string; children: ReactNode }) {
  return (
    <span className={styles.name}>
      <Rosette id={id} size={20} detail="small" className={styles.mark} />
      {children}
    </span>
  );
}
