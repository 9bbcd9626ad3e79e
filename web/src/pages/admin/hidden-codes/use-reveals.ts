// Keeps the hidden codes that the server has shown to the user on this page. They are not in the cache of the queries,
// so they are gone when the user leaves the page.

import { revealCoupon } from '@portal/contract';
import { useEffect, useState } from 'react';
import { flushSync } from 'react-dom';
import { call } from '../../../api.ts';
import { ApiError } from '../../../api-error.ts';
import { say } from '../../../words/say.ts';
import { tellError, tellRefusal } from '../refusal-toast.ts';

export type Reveals = {
  /** The codes that are shown, by the id of the coupon. */
  shown: ReadonlyMap<string, string>;
  /** True while the server shows no more codes, because the user has had too many shown. */
  isOff: boolean;
  /** Shows the code. If the server refuses, shows a toast instead. Never rejects. */
  show: (id: string) => Promise<void>;
};

export function useReveals(): Reveals {
  const [shown, setShown] = useState<ReadonlyMap<string, string>>(new Map());
  // The time at which the server shows codes again, in ms; 0 if it shows codes now.
  const [offUntil, setOffUntil] = useState(0);
  useEffect(() => {
    if (offUntil === 0) return;
    const timer = setTimeout(() => setOffUntil(0), offUntil - Date.now());
    return () => clearTimeout(timer);
  }, [offUntil]);

  const show = async (id: string) => {
    if (offUntil > 0) return tellToWait(offUntil);
    try {
      const { coupon_code } = await call(revealCoupon, { params: { id } });
      // Renders synchronously, so that the caller can move the focus to the new button.
      flushSync(() => setShown((before) => new Map(before).set(id, coupon_code)));
    } catch (error) {
      const wait = error instanceof ApiError && error.code === 'too_many_requests' && error.retryAfter;
      if (!wait) return void tellRefusal(error, say('Failed to show the code'));
      const until = Date.now() + wait * 1000;
      setOffUntil(until);
      tellToWait(until);
    }
  };
  return { shown, isOff: offUntil > 0, show };
}

function tellToWait(until: number): void {
  const minutes = Math.max(1, Math.ceil((until - Date.now()) / 60_000));
  tellError(
    say(
      'You showed 30 codes in the last 10 minutes. Please wait {minutes} min. The owners were told by mail.',
      { minutes },
    ),
  );
}
