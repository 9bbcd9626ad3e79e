// Buttons that were pressed before they worked: the last script of index.html marks them.
import { useEffect } from 'react';

/** Presses the marked button once more, now that it works. */
export function useEarlyPresses(): void {
  useEffect(() => {
    delete document.documentElement.dataset.early;
    const button = document.querySelector<HTMLElement>('[data-pressed]');
    if (!button) return;
    delete button.dataset.pressed;
    button.click();
  }, []);
}
