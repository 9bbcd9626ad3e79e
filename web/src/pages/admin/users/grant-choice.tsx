// Radio buttons with which staff select the grant that an action changes. Not rendered if there is only one grant
// (N-97).
import type { Grant } from '@portal/contract';
import { useId } from 'react';
import { say } from '../../../words/say.ts';
import styles from './act-dialog.module.css';
import { sayValid } from './say-valid.ts';

type GrantChoiceProps = { grants: readonly Grant[]; value: string; onChange: (grant: Grant) => void };

export function GrantChoice({ grants, value, onChange }: GrantChoiceProps) {
  const name = useId();
  if (grants.length < 2) return null;
  return (
    <fieldset className={styles.grants}>
      <legend>{say('Which access?')}</legend>
      {grants.map((grant) => (
        <label key={grant.id} className={styles.grant}>
          <input type="radio" name={name} checked={grant.id === value} onChange={() => onChange(grant)} />
          <span>
            <bdi>{grant.product_name ?? say('All products')}</bdi>
            <small>{sayValid({ from: grant.starts_on, until: grant.ends_on })}</small>
            <small>{say('Given by {who}', { who: grant.granted_by })}</small>
          </span>
        </label>
      ))}
    </fieldset>
  );
}
