// Links to this page in the other languages, each with the language's own name.
import { LANGUAGE_CHOICE, type Language, languages } from '@portal/contract';
import type { MouseEvent } from 'react';
import { currentLocale } from '../words/current-locale.ts';

export function LanguageSwitch({ className }: { className: string }) {
  const others = (Object.keys(languages) as Language[]).filter((tag) => tag !== currentLocale.language);
  return others.map((tag) => (
    // The link works without JavaScript. Its `href` has no path, so that the HTML of the link is the same on all pages.
    // So the server can cache one 'not found' page for all products that do not exist.
    <a
      key={tag}
      className={className}
      href={`?${LANGUAGE_CHOICE}=${tag}`}
      lang={tag}
      hrefLang={tag}
      onClick={(event) => keepAddress(event, tag)}
    >
      {languages[tag]}
    </a>
  ));
}

function keepAddress({ currentTarget }: MouseEvent<HTMLAnchorElement>, tag: Language): void {
  const query = new URLSearchParams(location.search);
  query.set(LANGUAGE_CHOICE, tag);
  currentTarget.search = String(query);
  currentTarget.hash = location.hash;
}
