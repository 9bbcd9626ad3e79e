// What a screen reader is told: the words of live regions, kept, because most of them are taken away after a second.
import type { Page } from 'playwright-core';

/**
 * From now on keeps the words of each live region as they change; returns how to list them, such as
 * `polite: Saved` or `assertive in the dialog: Failed to copy`.
 */
export async function recordAnnouncements(page: Page): Promise<() => Promise<string[]>> {
  const said = await page.evaluateHandle(keepAnnouncements);
  return () => said.jsonValue();
}

/** Runs in the page. */
function keepAnnouncements(): string[] {
  const said: string[] = [];
  const observer = new MutationObserver((changes) => {
    for (const { target } of changes) {
      const element = target instanceof Element ? target : target.parentElement;
      const region = element?.closest('[aria-live], [role=status], [role=alert]');
      const words = region?.textContent.trim().replaceAll(/\s+/g, ' ');
      if (!region || !words) continue;
      const implied = region.getAttribute('role') === 'alert' ? 'assertive' : 'polite';
      const place = region.closest('dialog[open]') ? ' in the dialog' : '';
      const line = `${region.getAttribute('aria-live') ?? implied}${place}: ${words}`;
      if (line !== said.at(-1)) said.push(line);
    }
  });
  observer.observe(document.documentElement, { subtree: true, childList: true, characterData: true });
  return said;
}
