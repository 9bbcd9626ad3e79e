// Counts the requests of this process. Background jobs slow down while the count increases.

export type RequestCounter = {
  /** Adds one response to the count. */
  note(): void;
  /** Returns the number of responses since the start of the process. */
  count(): number;
};

export function createRequestCounter(): RequestCounter {
  let responses = 0;
  return {
    note: () => {
      responses += 1;
    },
    count: () => responses,
  };
}
