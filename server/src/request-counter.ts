// Counts the requests of this process, so that background work can slow down while requests come in.

export type RequestCounter = {
  /** Counts one response. */
  note(): void;
  /** Responses since the start of the process. */
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
