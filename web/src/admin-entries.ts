// Hides links and buttons that lead to admin pages, except on the admin pages (R-HIDE-01 to R-HIDE-05, A-51).
import { useEffect } from 'react';
import { useLocation } from 'wouter';

const GUARDED = /^\/admin(\/(activity|(products|users(\/cohorts)?|coupons(\/uploads)?)(\/[^/]+)?))?\/?$/;

/** Returns true for pages that require an administrator. Only these pages may show admin links. */
export function isAdminPage(path: string): boolean {
  return GUARDED.test(path);
}

/** While the current page is not an admin page, hides its admin links and buttons, also those that appear later. */
export function useHiddenAdminEntries(): void {
  const [path] = useLocation();
  useEffect(() => {
    const sweep = () => hideAdminEntries(document, !isAdminPage(path));
    sweep();
    const observer = new MutationObserver(sweep);
    observer.observe(document.body, {
      subtree: true,
      childList: true,
      characterData: true,
      attributeFilter: ['href'],
    });
    return () => observer.disconnect();
  }, [path]);
}

function hideAdminEntries(root: Document, hidden: boolean): void {
  for (const link of root.querySelectorAll<HTMLAnchorElement>('header a[href]')) {
    if (link.origin === location.origin && link.pathname.startsWith('/admin')) link.hidden = hidden;
  }
  for (const button of root.querySelectorAll<HTMLElement>('button, [role="button"]')) {
    if (button.textContent?.includes('Admin Dashboard')) button.hidden = hidden;
  }
}
