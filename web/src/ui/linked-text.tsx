// Text in which web and mail addresses can be followed.
import { linkify } from './links.ts';

/** Web links open in a new tab without telling it where they came from. Shown without their scheme. */
export function LinkedText({ text }: { text: string }) {
  let end = 0;
  return linkify(text).map((part) => {
    end += part.text.length;
    if (!part.href) return <span key={end}>{part.text}</span>;
    const opensTab = !part.href.startsWith('mailto:');
    return (
      <a
        key={end}
        className="link"
        href={part.href}
        {...(opensTab ? { target: '_blank', rel: 'noopener noreferrer' } : {})}
      >
        {part.text}
      </a>
    );
  });
}
