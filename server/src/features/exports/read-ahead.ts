/**
 * Yields the parts in their order, and reads the next part while the caller works on one. So the database and the caller
 * work at the same time, and two parts are in memory.
 */
export async function* readAhead<T>(parts: AsyncIterable<T>): AsyncGenerator<T> {
  const iterator = parts[Symbol.asyncIterator]();
  let reading = iterator.next();
  try {
    for (;;) {
      const { done, value } = await reading;
      if (done) return;
      reading = iterator.next();
      // A failure is thrown when the caller asks for the part, not as an unhandled rejection before.
      reading.catch(() => undefined);
      yield value;
    }
  } finally {
    // If the caller stops early, the read that has begun ends before the generator does.
    await reading.catch(() => undefined);
    await iterator.return?.();
  }
}
