// Navigation by links within the portal.
import type { AroundNavHandler } from 'wouter';

/** Navigates to `to`. Like in a browser, a link to the current address adds no entry to the history. */
export const followLink: AroundNavHandler = (navigate, to, options) => {
  const replace = to === location.pathname + location.search;
  navigate(to, { replace, ...options });
};
