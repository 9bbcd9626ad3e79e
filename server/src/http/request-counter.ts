// Counts the API requests to which this process has responded. Background jobs run more slowly while the portal serves
// many requests.

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
