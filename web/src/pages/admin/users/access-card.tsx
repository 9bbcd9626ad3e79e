// Finds a user by email address and shows the user's products and codes (R-UAC-01 to R-UAC-15).
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { queryClient } from '../../../queries.ts';
import { Button } from '../../../ui/button.tsx';
import { Card } from '../../../ui/card.tsx';
import { CardBody } from '../../../ui/card-body.tsx';
import { TextField } from '../../../ui/text-field.tsx';
import { showToast } from '../../../ui/toast-store.ts';
import { useForm } from '../../../ui/use-form.ts';
import { say } from '../../../words/say.ts';
import { useReveals } from '../hidden-codes/use-reveals.ts';
import { RecordLink } from '../people/person-link.tsx';
import { tellRefusal } from '../refusal-toast.ts';
import styles from './access.module.css';
import { type Access, accessOf, hasAccess } from './access.ts';
import { AccessProducts } from './access-products.tsx';
import { sayProducts } from './say-products.ts';
import { saySignIn } from './say-sign-in.ts';
import { toAddress } from './use-known-user.ts';

export function AccessCard() {
  const { access, form } = useAccess();
  const reveals = useReveals();
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
      <div aria-live="polite">{access && <Who access={access} />}</div>
      {access && (
        <AccessProducts
          key={access.user.email}
          access={access}
          reveals={reveals}
          none={<p className={styles.none}>{say('This user has no products yet.')}</p>}
        />
      )}
    </Card>
  );
}

function useAccess() {
  const [shown, setShown] = useState('');
  const { data: access } = useQuery({ ...accessOf(shown), enabled: shown !== '' });
  const form = useForm({ email: '' }, async ({ email: typed }) => {
    const email = toAddress(typed);
    if (email === '') {
      // An empty address is an error, shown at the field and as a toast (R-VAL-24).
      const description = say('Please enter a user email address');
      showToast({ title: say('Missing email'), description, variant: 'destructive' });
      return { email: description };
    }
    try {
      await queryClient.fetchQuery({ ...accessOf(email), staleTime: 0 });
      setShown(email);
      return {};
    } catch (error) {
      setShown('');
      return tellRefusal(error, say('Failed to fetch user access'), {
        user_not_found: 'email',
        invalid_request: 'email',
      });
    }
  });
  return { access, form };
}

function Who({ access: { user, products } }: { access: Access }) {
  return (
    <div className={styles.who}>
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
    </div>
  );
}
