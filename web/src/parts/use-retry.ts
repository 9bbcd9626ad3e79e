// Retries a failed query and keeps the retry button visible meanwhile.
import { useState } from 'react';

type Query = { isPending: boolean; isError: boolean; refetch: () => Promise<unknown> };

/** Returns `failed` (show the error), `busy` (a retry is in progress) and `onRetry`, the handler of the button. */
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
