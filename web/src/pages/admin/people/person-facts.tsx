// The lines below the name of a person: the address, the last sign-in, the phone number, the cohorts.
import type { PersonRecord } from '@portal/contract';
import { Link } from 'wouter';
import { useCopy } from '../../../parts/use-copy.ts';
import { isolate } from '../../../ui/isolate.ts';
import { Tag } from '../../../ui/tag.tsx';
import { say, sayAround } from '../../../words/say.ts';
import { cohortPath } from '../cohorts/cohort-path.ts';
import { tellCopied } from '../tell-copied.ts';
import { saySignIn } from '../users/say-sign-in.ts';
import styles from './person-page.module.css';

export function PersonFacts({ record: { user, cohorts, last_sign_in_at } }: { record: PersonRecord }) {
  const { copy } = useCopy();
  const press = async () => tellCopied(await copy(user.email), say('Address copied'));
  return (
    <>
      <p className={styles.address}>
        <span>{user.email}</span>
        <button
          type="button"
          className={styles.copy}
          aria-label={say('Copy the address')}
          onClick={() => void press()}
        >
          {say('Copy')}
        </button>
      </p>
      <div className={styles.facts}>
        {last_sign_in_at !== undefined && (
          <span>{sayAround('Last sign-in: {time}', { time: <b>{saySignIn(last_sign_in_at)}</b> })}</span>
        )}
        <span>{sayAround('Phone: {phone}', { phone: <b>{user.phone_number || say('N/A')}</b> })}</span>
        {cohorts.length > 0 && (
          <ul aria-label={say('Cohorts')}>
            {cohorts.map(({ cohort_id, name, archived }) => (
              <li key={cohort_id}>
                <Link href={cohortPath(cohort_id)}>
                  <Tag>
                    <span className={styles.cohort} dir={archived ? undefined : 'auto'}>
                      {archived ? say('{cohort}, archived', { cohort: isolate(name) }) : name}
                    </span>
                  </Tag>
                </Link>
              </li>
            ))}
          </ul>
        )}
      </div>
    </>
  );
}
