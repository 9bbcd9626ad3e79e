// Links within the portal, where they differ from the router's own.
import type { AroundNavHandler } from 'wouter';

/** Goes to `to` as a browser does: a link to the address that one is at adds no step of Back. */
export const followLink: AroundNavHandler = (navigate, to, options) => {
  const replace = to === location.pathname + location.search;
  navigate(to, { replace, ...options });
};
