// Closes a menu when the user clicks or focuses another part of the page.
import { useEffect } from 'react';

/** While `active`, calls `leave` if the user clicks or focuses an element outside `root`. */
export function useLeaving(root: { current: HTMLElement | null }, active: boolean, leave: () => void): void {
  useEffect(() => {
    if (!active) return;
    const look = ({ target }: Event) => {
      if (target instanceof Node && !root.current?.contains(target)) leave();
    };
    document.addEventListener('pointerdown', look);
    document.addEventListener('focusin', look);
    return () => {
      document.removeEventListener('pointerdown', look);
      document.removeEventListener('focusin', look);
    };
  });
}
