// Repeats a click that came before hydration, when the button had no handler. first-script.ts has marked the clicked
// button.
import { useEffect } from 'react';

/** After hydration, clicks the button that the user clicked before hydration. */
export function useEarlyPresses(): void {
  useEffect(() => {
    delete document.documentElement.dataset.early;
    const button = document.querySelector<HTMLElement>('[data-pressed]');
    if (!button) return;
    delete button.dataset.pressed;
    button.click();
  }, []);
}
