// The other languages of this page, each in its own words.
import { type Language, languages } from '@portal/contract';
import type { MouseEvent } from 'react';
import { reader } from '../words/reader.ts';
import { changeLanguage } from '../words/start-words.ts';

export function LanguageSwitch({ className }: { className: string }) {
  const others = (Object.keys(languages) as Language[]).filter((tag) => tag !== reader.language);
  const change = (event: MouseEvent, tag: Language) => {
    event.preventDefault();
    changeLanguage(tag);
  };
  return others.map((tag) => (
    // The empty address is that of any page, so that pages which say the same are the same.
    // biome-ignore lint/a11y/useValidAnchor: it leads to this page in another language
    <a
      key={tag}
      className={className}
      href=""
      lang={tag}
      hrefLang={tag}
      onClick={(event) => change(event, tag)}
    >
      {languages[tag]}
    </a>
  ));
}
