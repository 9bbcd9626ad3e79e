// Lets callers that ask at the same time share one read.

/**
 * Returns a function that calls `read`, at most once at a time. A caller that asks while a read is running waits for
 * the next read, and shares it with all others that ask meanwhile. So each caller gets a result that was read after
 * the caller asked, and a failed read fails for its callers only.
 */
export function shareReads<T>(read: () => Promise<T>): () => Promise<T> {
  let running: Promise<unknown> = Promise.resolve();
  let next: Promise<T> | null = null;
  return () => {
    next ??= running.then(() => {
      next = null;
      const result = read();
      running = result.catch(() => undefined);
      return result;
    });
    return next;
  };
}
