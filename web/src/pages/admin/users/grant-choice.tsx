// Radio buttons with which staff select the grant that an action changes. Not rendered if there is only one grant
// (N-97).
import type { Grant } from '@portal/contract';
import { RadioGroup } from '../../../ui/radio-group.tsx';
import { say } from '../../../words/say.ts';
import styles from './act-dialog.module.css';
import { sayValid } from './say-valid.ts';

type GrantChoiceProps = { grants: readonly Grant[]; value: string; onChange: (grant: Grant) => void };

export function GrantChoice({ grants, value, onChange }: GrantChoiceProps) {
  if (grants.length < 2) return null;
  const options = grants.map((grant) => ({
    value: grant.id,
    label: (
      <>
        <bdi>{grant.product_name ?? say('All products')}</bdi>
        <small className={styles.detail}>{sayValid({ from: grant.starts_on, until: grant.ends_on })}</small>
        <small className={styles.detail}>{say('Given by {who}', { who: grant.granted_by })}</small>
      </>
    ),
  }));
  const choose = (id: string) => {
    const chosen = grants.find((grant) => grant.id === id);
    if (chosen) onChange(chosen);
  };
  return <RadioGroup label={say('Which access?')} value={value} options={options} onChange={choose} />;
}
