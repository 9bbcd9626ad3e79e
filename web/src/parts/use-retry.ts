// Trying again what did not load, without taking the button away meanwhile.
import { useState } from 'react';

type Query = { isPending: boolean; isError: boolean; refetch: () => Promise<unknown> };

/** Whether the error is to be shown, what its button does, and whether that is under way. */
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
