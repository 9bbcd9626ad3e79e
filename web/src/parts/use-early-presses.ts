// Repeats a click on a button from before hydration. first-script.ts marks the button.
import { useEffect } from 'react';

/** Clicks the marked button after hydration, when it has its handler. */
export function useEarlyPresses(): void {
  useEffect(() => {
    delete document.documentElement.dataset.early;
    const button = document.querySelector<HTMLElement>('[data-pressed]');
    if (!button) return;
    delete button.dataset.pressed;
    button.click();
  }, []);
}
