// Links to the record of a person.
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import admin from '../admin.module.css';
import styles from './person-link.module.css';
import { personPath } from './person-path.ts';

/** `to` is the `user_id` or the address of the person. */
type PersonLinkProps = { to: string; children: ReactNode };

/** A link in a row of a list that names the person. */
export function PersonLink({ to, children }: PersonLinkProps) {
  return (
    <Link href={personPath(to)} className={admin.rowLink} dir="auto">
      {children}
    </Link>
  );
}

/** A link in a text, or beside one. */
export function RecordLink({ to, children }: PersonLinkProps) {
  return (
    <Link href={personPath(to)} className={styles.inText}>
      {children}
    </Link>
  );
}
