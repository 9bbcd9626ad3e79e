// How much this process has to do for its callers: work that can wait then does.

export type Traffic = {
  /** Notes that a call was answered. */
  note(): void;
  /** Calls answered so far. */
  count(): number;
};

export function createTraffic(): Traffic {
  let answered = 0;
  return {
    note: () => {
      answered += 1;
    },
    count: () => answered,
  };
}
