// A link to the page of a cohort, in a text or beside one.
import type { CohortName } from '@portal/contract';
import { Link } from 'wouter';
import styles from './cohort-link.module.css';
import { cohortPath } from './cohort-path.ts';

export function CohortLink({ cohort: { cohort_id, name } }: { cohort: CohortName }) {
  return (
    <Link href={cohortPath(cohort_id)} className={styles.link}>
      <bdi>{name}</bdi>
    </Link>
  );
}
