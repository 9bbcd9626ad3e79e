// Records the texts of ARIA live regions, because most regions become empty again after a second.
import type { Page } from 'playwright-core';

/**
 * Starts to record each text of a live region. Returns a function that lists the records, for example
 * `polite: Saved` or `assertive in the dialog: Failed to copy`.
 */
export async function recordAnnouncements(page: Page): Promise<() => Promise<string[]>> {
  const announcements = await page.evaluateHandle(keepAnnouncements);
  return () => announcements.jsonValue();
}

/** Runs in the page. Observes live regions. Returns the array to which the observer appends each announcement. */
function keepAnnouncements(): string[] {
  const announcements: string[] = [];
  const observer = new MutationObserver((changes) => {
    for (const { target } of changes) {
      const element = target instanceof Element ? target : target.parentElement;
      const region = element?.closest('[aria-live], [role=status], [role=alert]');
      const words = region?.textContent.trim().replaceAll(/\s+/g, ' ');
      if (!region || !words) continue;
      const implied = region.getAttribute('role') === 'alert' ? 'assertive' : 'polite';
      const place = region.closest('dialog[open]') ? ' in the dialog' : '';
      const line = `${region.getAttribute('aria-live') ?? implied}${place}: ${words}`;
      if (line !== announcements.at(-1)) announcements.push(line);
    }
  });
  observer.observe(document.documentElement, { subtree: true, childList: true, characterData: true });
  return announcements;
}
