// Hook for a call that changes many codes. First a staff member confirms the number of codes. If the call would change
// more codes, the server refuses the call (C-6).
import { useState } from 'react';
import { ApiError } from '../../../api-error.ts';
import { refreshLists } from '../changes.ts';
import { tellRefusal } from '../refusal-toast.ts';
import { useRoleRefusal } from '../role-gate.tsx';

/**
 * Returns the number of codes to confirm as `count`, and `confirm`, which makes the call. At first, `count` is the
 * parameter `shown`: the number that the page has loaded. If more codes are affected, the server refuses the call:
 * `count` becomes the server's number, and `before` the number that was confirmed. `about` names which codes are counted.
 * If `about` changes, `count` is the parameter `shown` again and `before` is undefined. All other errors are shown as a toast, with the text
 * `failed` if the server sent no message. Also returns `isOff` of `useRoleRefusal`.
 */
export function useConfirmedCount(shown: number, failed: string, about = '') {
  const [last, setLast] = useState<{ before: number; count: number; about: string }>();
  const { isOff, noteRefusal } = useRoleRefusal();
  const refused = last?.about === about ? last : undefined;
  const count = refused?.count ?? shown;
  const confirm = async (send: () => Promise<void>) => {
    try {
      await send();
    } catch (error) {
      noteRefusal(error);
      if (error instanceof ApiError && error.code === 'count_changed' && error.count !== undefined) {
        setLast({ before: count, count: error.count, about });
        // The dialog also shows how many codes were handed out. This number may have changed, so it is loaded again.
        refreshLists('coupons');
      } else tellRefusal(error, failed);
    }
  };
  return { count, before: refused?.before, confirm, isOff };
}
