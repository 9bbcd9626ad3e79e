// The user that the access card shows: name, address, last sign-in, cohorts.
import { type Ref, useId } from 'react';
import { say } from '../../../words/say.ts';
import { CohortLink } from '../cohorts/cohort-link.tsx';
import { RecordLink } from '../people/person-link.tsx';
import styles from './access.module.css';
import { type Access, hasAccess } from './access.ts';
import { sayProducts } from './say-products.ts';
import { saySignIn } from './say-sign-in.ts';

export function AccessWho({ access: { user, products }, ref }: { access: Access; ref: Ref<HTMLDivElement> }) {
  const cohortsId = useId();
  return (
    <div ref={ref} tabIndex={-1} className={styles.who}>
      {user.name && <bdi className={styles.name}>{user.name}</bdi>}
      <span className={styles.faint}>{user.email}</span>
      {user.last_sign_in_at !== undefined && (
        <span className={styles.faint}>
          {say('Last sign-in: {time}', { time: saySignIn(user.last_sign_in_at) })}
        </span>
      )}
      <span className={`${styles.faint} ${styles.count}`}>
        {sayProducts(products.filter(hasAccess).length)}
      </span>
      <RecordLink to={user.email}>{say('Open full record')}</RecordLink>
      {user.cohorts.length > 0 && (
        <div className={styles.cohorts}>
          <span id={cohortsId}>{say('Cohorts:')}</span>
          <ul aria-labelledby={cohortsId}>
            {user.cohorts.map((cohort) => (
              <li key={cohort.cohort_id}>
                <CohortLink cohort={cohort} />
              </li>
            ))}
          </ul>
        </div>
      )}
    </div>
  );
}
