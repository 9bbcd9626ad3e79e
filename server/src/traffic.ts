// Whether this process has callers to serve: work that can wait then does.

export type Traffic = {
  /** Notes that a request was answered. */
  note(): void;
  /** True when requests were answered since the last time this was asked, other than now and then. */
  wasBusy(): boolean;
};

// Less than that, in the fraction of a second between two questions, is a page that follows an import.
const BUSY_REQUESTS = 5;

export function createTraffic(): Traffic {
  let answered = 0;
  return {
    note: () => {
      answered += 1;
    },
    wasBusy: () => {
      const since = answered;
      answered = 0;
      return since >= BUSY_REQUESTS;
    },
  };
}
