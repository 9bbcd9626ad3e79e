// Scrolls to the top and moves the focus after navigation in the application, as a full page load does.
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
      // Links within one page, for example the skip link, fire `popstate` too. Only a changed path means Back or
      // Forward.
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
