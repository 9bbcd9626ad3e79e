// The job that a page follows: its id is in the URL, so a reload shows the job again.
import { useLocation, useSearch } from 'wouter';

/** Name of the id in the URL. Lists of the same page keep it; see `useListState`. */
export const JOB = 'job';

/** Ids of the jobs whose end this page announces: those that it started, or saw running. */
const awaited = new Set<string>();

/** Notes that the end of the job is to be announced. */
export function awaitEnd(id: string): void {
  awaited.add(id);
}

/** Returns true if the end of the job is to be announced. The next call for the same job returns false. */
export function takeAwaited(id: string): boolean {
  return awaited.delete(id);
}

/**
 * Returns the id in the URL, or null. `show` shows another job, or none. `follow` shows a job that this page has just
 * started.
 */
export function useJobAddress() {
  const [path, navigate] = useLocation();
  const search = useSearch();
  const show = (id: string | null) => {
    const query = new URLSearchParams(search);
    if (id === null) query.delete(JOB);
    else query.set(JOB, id);
    navigate(query.size > 0 ? `${path}?${query}` : path, { replace: true });
  };
  const follow = (id: string) => {
    awaitEnd(id);
    show(id);
  };
  return { id: new URLSearchParams(search).get(JOB), show, follow };
}
