// Asks for confirmation before the user leaves a page with unsaved changes. The user can leave by a link, by Logout, by
// Back or Forward, or by closing or reloading the tab.
import { useEffect, useRef, useState } from 'react';

/**
 * While `isChanged` is true, a click on a link or on a button with `data-leaves`, and a step by Back or Forward are
 * stopped, and `isAsking` becomes true. `leave` then repeats what was stopped. Before the tab is closed or reloaded, the
 * browser asks with a dialog of its own. Browsers without the Navigation API (Safari before 26.2, Firefox before 147) do
 * not ask before Back and Forward.
 */
export function useLeaveGuard(isChanged: boolean) {
  const [asked, setAsked] = useState<{ go: () => void } | null>(null);
  const isLeaving = useRef(false);
  useEffect(() => {
    if (!isChanged) return;
    const followLater = (event: MouseEvent) => {
      const way =
        event.target instanceof Element ? event.target.closest<HTMLElement>('a, [data-leaves]') : null;
      if (isLeaving.current || !way || !leavesPage(way, event)) return;
      event.preventDefault();
      event.stopPropagation();
      setAsked({ go: () => way.click() });
    };
    const stepLater = (event: NavigateEvent) => {
      const isStep = event.navigationType === 'traverse' && event.cancelable && !isLeaving.current;
      const { key, url } = event.destination;
      if (!isStep || new URL(url).pathname === location.pathname) return;
      event.preventDefault();
      setAsked({ go: () => void navigation.traverseTo(key) });
    };
    const holdTab = (event: BeforeUnloadEvent) => {
      if (!isLeaving.current) event.preventDefault();
    };
    const steps = 'navigation' in window ? window.navigation : null;
    // In the capture phase, this listener gets the click before React does. So the listener can stop the click before
    // the router opens the page.
    document.addEventListener('click', followLater, { capture: true });
    steps?.addEventListener('navigate', stepLater);
    window.addEventListener('beforeunload', holdTab);
    return () => {
      document.removeEventListener('click', followLater, { capture: true });
      steps?.removeEventListener('navigate', stepLater);
      window.removeEventListener('beforeunload', holdTab);
    };
  }, [isChanged]);
  return {
    isAsking: asked !== null,
    stay: () => setAsked(null),
    leave: () => {
      isLeaving.current = true;
      asked?.go();
    },
  };
}

/** Returns true if the click opens another page in this tab. */
function leavesPage(link: HTMLElement, event: MouseEvent): boolean {
  if (!(link instanceof HTMLAnchorElement)) return true;
  const opensElsewhere =
    link.target === '_blank' || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey;
  return link.href !== '' && !opensElsewhere && link.pathname !== location.pathname;
}
