// The provider's logo, or a ticket with the first letter of its name.
import { brand } from '../brand.ts';

const TICKET =
  'M6 2h14a4 4 0 0 1 4 4v3.6a3.4 3.4 0 0 0 0 6.8V20a4 4 0 0 1-4 4H6a4 4 0 0 1-4-4v-3.6a3.4 3.4 0 0 0 0-6.8V6a4 4 0 0 1 4-4Z';

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
        <path fill="currentColor" d={TICKET} />
        <text className="fill-on-accent text-[13px] font-semibold" x="13" y="17.6" textAnchor="middle">
          {Array.from(brand.name)[0]}
        </text>
      </svg>
      <span className="truncate">{brand.name}</span>
    </>
  );
}
