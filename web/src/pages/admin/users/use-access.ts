// Looks a user up by address for the access card.
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { flushSync } from 'react-dom';
import { ApiError } from '../../../api-error.ts';
import { queryClient } from '../../../queries.ts';
import { showToast } from '../../../ui/toast-store.ts';
import { useForm } from '../../../ui/use-form.ts';
import { say } from '../../../words/say.ts';
import { tellRefusal } from '../refusal-toast.ts';
import { accessOf } from './access.ts';
import { toAddress } from './use-known-user.ts';

/**
 * Returns the form with the address, and the result of the last look-up: `access`, or `similar` if nobody has the
 * address. `lookUpSimilar(email)` looks up one of the similar addresses; `busy` is true until it has ended.
 */
export function useAccess() {
  const [shown, setShown] = useState('');
  const [similar, setSimilar] = useState<readonly string[] | null>(null);
  const { data: access } = useQuery({ ...accessOf(shown), enabled: shown !== '' });

  const lookUp = async (email: string): Promise<{ email?: string }> => {
    try {
      await queryClient.fetchQuery({ ...accessOf(email), staleTime: 0 });
      // Renders synchronously, so that the caller can move the focus to the result.
      flushSync(() => {
        setSimilar(null);
        setShown(email);
      });
      return {};
    } catch (error) {
      setShown('');
      if (error instanceof ApiError && error.code === 'user_not_found') setSimilar(error.similar);
      return tellRefusal(error, say('Failed to fetch user access'), { invalid_request: 'email' });
    }
  };
  const form = useForm({ email: '' }, async ({ email: typed }) => {
    const email = toAddress(typed);
    setSimilar(null);
    if (email !== '') return lookUp(email);
    // An empty address is an error, shown at the field and as a toast (R-VAL-24).
    const description = say('Please enter a user email address');
    showToast({ title: say('Missing email'), description, variant: 'destructive' });
    return { email: description };
  });

  const [busy, setBusy] = useState(false);
  const lookUpSimilar = async (email: string): Promise<void> => {
    form.reset({ email });
    setBusy(true);
    await lookUp(email);
    setBusy(false);
  };
  return { access, similar, busy, form, lookUpSimilar };
}
