// Navigation by links within the portal.
import type { AroundNavHandler } from 'wouter';

/**
 * Navigates to `to`. A link to the current address adds no entry to the browser history. Browsers handle such links in
 * the same way.
 */
export const followLink: AroundNavHandler = (navigate, to, options) => {
  const replace = to === location.pathname + location.search;
  navigate(to, { replace, ...options });
};
