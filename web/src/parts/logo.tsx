// The provider's logo. If the provider has no logo, shows a ticket with the first letter of the provider's name.
import { brand } from '../brand.ts';

/**
 * SVG path of the ticket. It leaves half a pixel on each side for the rim, which makes a ticket in a pale colour
 * visible.
 */
const TICKET =
  'M6 2.5h14a3.5 3.5 0 0 1 3.5 3.5v3.13a3.9 3.9 0 0 0 0 7.74V20a3.5 3.5 0 0 1-3.5 3.5H6A3.5 3.5 0 0 1 2.5 20v-3.13a3.9 3.9 0 0 0 0-7.74V6A3.5 3.5 0 0 1 6 2.5Z';

export function Logo() {
  if (brand.logo_url) {
    return (
      <picture className="min-w-0">
        {brand.logo_dark_url && <source srcSet={brand.logo_dark_url} media="(prefers-color-scheme: dark)" />}
        <img
          className="h-6.5 w-auto max-w-[min(100%,12rem)] object-contain object-left"
          src={brand.logo_url}
          alt={brand.name}
        />
      </picture>
    );
  }
  return (
    <>
      <svg
        className="text-accent"
        width="26"
        height="26"
        viewBox="0 0 26 26"
        aria-hidden="true"
        focusable="false"
      >
        <path className="stroke-accent-rim" fill="currentColor" d={TICKET} />
        <text className="fill-on-accent text-[13px] font-semibold" x="13" y="17.6" textAnchor="middle">
          {Array.from(brand.name)[0]}
        </text>
      </svg>
      <span className="truncate">{brand.name}</span>
    </>
  );
}
