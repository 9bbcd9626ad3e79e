// What a full page load would do on a change of page: start at the top, and start reading there.
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
      // Another page's: steps within one page, such as the skip link's, fire it too.
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
