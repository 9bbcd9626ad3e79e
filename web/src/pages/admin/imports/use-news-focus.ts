// Moves the focus to the result of a check or of a started import, when the result appears.
import { useEffect, useRef } from 'react';
import { type ImportRun, importRuns } from './import-runs.ts';

/** Returns the reference of the title that gets the focus. */
export function useNewsFocus({ id, kind, isNews }: ImportRun) {
  const title = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    if (!isNews) return;
    title.current?.focus();
    importRuns.update(id, kind, { isNews: false });
  }, [isNews, id, kind]);
  return title;
}
