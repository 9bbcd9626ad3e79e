// The number of codes that a staff member confirms. If more codes are affected at the server, it refuses the call (C-6).
import { useState } from 'react';
import { ApiError } from '../../../api-error.ts';
import { refreshLists } from '../changes.ts';
import { tellRefusal } from '../refusal-toast.ts';

/**
 * `shown` is the number that the page knows. `confirm` makes the call. After a refusal because of the number, `count` is
 * the number of the server and `before` the refused one, until `about` changes, which names what the number counts. All
 * other errors are shown as a toast with `failed` as the default text.
 */
export function useConfirmedCount(shown: number, failed: string, about = '') {
  const [last, setLast] = useState<{ before: number; count: number; about: string }>();
  const [busy, setBusy] = useState(false);
  const refused = last?.about === about ? last : undefined;
  const count = refused?.count ?? shown;
  const confirm = async (send: () => Promise<void>) => {
    setBusy(true);
    try {
      await send();
    } catch (error) {
      if (error instanceof ApiError && error.code === 'count_changed' && error.count !== undefined) {
        setLast({ before: count, count: error.count, about });
        // The dialog also shows how many codes were handed out.
        refreshLists('coupons');
      } else tellRefusal(error, failed);
      setBusy(false);
    }
  };
  return { count, before: refused?.before, busy, confirm };
}
