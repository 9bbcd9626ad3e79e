// Scrolls to the top and moves the focus after navigation in the application, as a full page load does.
import { useEffect, useRef } from 'react';
import { useLocation } from 'wouter';
import { focusMain } from '../ui/focus-main.ts';

/**
 * Moves the focus to the new page and scrolls to its top. After Back or Forward, only moves the focus, because the
 * browser restores the scroll position itself.
 */
export function usePageChange(): void {
  const [path] = useLocation();
  const last = useRef(path);
  const popped = useRef(false);

  useEffect(() => {
    const notePop = () => {
      // Clicks on links within one page, for example the skip link, fire `popstate` too. The event means Back or
      // Forward only if the path has changed.
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
