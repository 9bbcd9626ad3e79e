// Finds a user by email address and shows the user's products and codes (R-UAC-01 to R-UAC-15).
import { useRef } from 'react';
import { Button } from '../../../ui/button.tsx';
import { Card } from '../../../ui/card.tsx';
import { CardBody } from '../../../ui/card-body.tsx';
import { TextField } from '../../../ui/text-field.tsx';
import { say } from '../../../words/say.ts';
import { useReveals } from '../hidden-codes/use-reveals.ts';
import styles from './access.module.css';
import { AccessProducts } from './access-products.tsx';
import { AccessUnknown } from './access-unknown.tsx';
import { AccessWho } from './access-who.tsx';
import { useAccess } from './use-access.ts';

export function AccessCard() {
  const { access, similar, busy, form, lookUpSimilar } = useAccess();
  const reveals = useReveals();
  const who = useRef<HTMLDivElement>(null);
  return (
    <Card
      title={say('User Access Management')}
      sub={say('See which tools a learner has, and give or replace a code.')}
    >
      <CardBody>
        <form {...form.props} className={styles.form}>
          <TextField
            {...form.field('email')}
            className={styles.email}
            label={say('User email')}
            type="email"
            autoComplete="off"
            placeholder="learner@example.org"
          />
          <Button look="primary" type="submit" busy={form.busy}>
            {say('View Products')}
          </Button>
        </form>
      </CardBody>
      <div aria-live="polite">{access && <AccessWho access={access} ref={who} />}</div>
      {access && (
        <AccessProducts
          key={access.user.email}
          access={access}
          reveals={reveals}
          none={<p className={styles.none}>{say('This user has no products yet.')}</p>}
        />
      )}
      {similar && (
        <AccessUnknown
          similar={similar}
          busy={busy || form.busy}
          onLookUp={async (email) => {
            await lookUpSimilar(email);
            // The button that was clicked is gone.
            who.current?.focus();
          }}
        />
      )}
    </Card>
  );
}
