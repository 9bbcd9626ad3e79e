// Does on navigation what a full page load does: scrolls to the top and moves the focus there.
import { useEffect, useRef } from 'react';
import { useLocation } from 'wouter';
import { focusMain } from '../ui/focus-main.ts';

/** Moves the focus to the new page and scrolls to its top; Back and Forward keep the browser's own position. */
export function usePageChange(): void {
  const [path] = useLocation();
  const last = useRef(path);
  const popped = useRef(false);

  useEffect(() => {
    const notePop = () => {
      // Only if the path changed: links within one page, for example the skip link, fire this event too.
      popped.current = location.pathname !== last.current;
    };
    window.addEventListener('popstate', notePop);
    return () => window.removeEventListener('popstate', notePop);
  }, []);

  useEffect(() => {
    if (last.current === path) return;
    last.current = path;
    focusMain();
    if (!popped.current) window.scrollTo(0, 0);
    popped.current = false;
  }, [path]);
}
