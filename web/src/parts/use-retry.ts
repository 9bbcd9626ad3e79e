// Retries a failed query and keeps the retry button visible during the retry.
import { useState } from 'react';

type Query = { isPending: boolean; isError: boolean; refetch: () => Promise<unknown> };

/**
 * Returns `failed` (true if the page must show the error), `busy` (true during a retry) and `onRetry` (the handler of
 * the retry button).
 */
export function useRetry(query: Query) {
  const [tried, setTried] = useState(false);
  return {
    failed: query.isError || (tried && query.isPending),
    busy: tried && query.isPending,
    onRetry: () => {
      setTried(true);
      void query.refetch();
    },
  };
}
