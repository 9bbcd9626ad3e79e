// Hook for a call that changes many codes or people. First a staff member confirms their number. If the call would change
// more, the server refuses the call (C-6).
import { useState } from 'react';
import { ApiError } from '../../../api-error.ts';
import { type Changed, refreshLists } from '../changes.ts';
import { tellRefusal } from '../refusal-toast.ts';
import { useRoleRefusal } from '../role-gate.tsx';

type Counted = {
  /** Names what is counted. If it changes, `count` is the parameter `shown` again and `before` is undefined. */
  about?: string;
  /** The lists with the other numbers of the dialog. They are loaded again after a refusal. */
  of?: Changed;
};

/**
 * Returns the number to confirm as `count`, and `confirm`, which makes the call. At first, `count` is the parameter
 * `shown`: the number that the page has loaded. If more codes or people are affected, the server refuses the call:
 * `count` becomes the server's number, and `before` the number that was confirmed. All other errors are shown as a toast,
 * with the text `failed` if the server sent no message. Also returns `isOff` of `useRoleRefusal`.
 */
export function useConfirmedCount(
  shown: number,
  failed: string,
  { about = '', of = 'coupons' }: Counted = {},
) {
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
        refreshLists(of);
      } else tellRefusal(error, failed);
    }
  };
  return { count, before: refused?.before, confirm, isOff };
}
