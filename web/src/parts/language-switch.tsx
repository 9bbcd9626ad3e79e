// The other languages of this page, each in its own words.
import { type Language, languages } from '@portal/contract';
import type { MouseEvent } from 'react';
import { useLocation, useSearch } from 'wouter';
import { reader } from '../words/reader.ts';
import { changeLanguage } from '../words/start-words.ts';

export function LanguageSwitch({ className }: { className: string }) {
  const [path] = useLocation();
  const search = useSearch();
  const others = (Object.keys(languages) as Language[]).filter((tag) => tag !== reader.language);
  const change = (event: MouseEvent, tag: Language) => {
    event.preventDefault();
    changeLanguage(tag);
  };
  return others.map((tag) => (
    <a
      key={tag}
      className={className}
      href={search ? `${path}?${search}` : path}
      lang={tag}
      hrefLang={tag}
      onClick={(event) => change(event, tag)}
    >
      {languages[tag]}
    </a>
  ));
}
