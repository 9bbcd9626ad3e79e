// Hook for a call that changes many codes or people. First a staff member confirms their number. If the call would change
// more, the server refuses the call (C-6).
import { useState } from 'react';
import { ApiError } from '../../../api-error.ts';
import { type Changed, refreshLists } from '../changes.ts';
import { isEditConflict } from '../newer-values.tsx';
import { tellRefusal } from '../refusal-toast.ts';
import { useRoleRefusal } from '../role-gate.tsx';

type Counted = {
  /** Names what is counted. If it changes, `count` is the parameter `shown` again and `before` is undefined. */
  about?: string;
  /** The lists with the other facts of the dialog. They are loaded again after each refusal. */
  of?: Changed;
  /** Called if somebody else has saved meanwhile. No toast is shown then. */
  onConflict?: () => Promise<void>;
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
  { about = '', of = 'coupons', onConflict }: Counted = {},
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
      } else if (onConflict && isEditConflict(error)) await onConflict();
      else tellRefusal(error, failed);
      // Somebody else may have changed what the dialog is about: the number of codes that were handed out, or the version
      // of a cohort (R-COHORT-33).
      if (error instanceof ApiError) refreshLists(of);
    }
  };
  return { count, before: refused?.before, confirm, isOff };
}
