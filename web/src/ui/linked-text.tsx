// Text in which web and mail addresses can be followed.
import { ExternalLink } from './external-link.tsx';
import { linkify } from './links.ts';

/** Web links open in a new tab without telling it where they came from. */
export function LinkedText({ text }: { text: string }) {
  let end = 0;
  return linkify(text).map(({ text: words, href }) => {
    end += words.length;
    if (!href) return <span key={end}>{words}</span>;
    const Anchor = href.startsWith('mailto:') ? 'a' : ExternalLink;
    return (
      // Set apart: an address reads from left to right within any script.
      <bdi key={end}>
        <Anchor className="link" href={href}>
          {words}
        </Anchor>
      </bdi>
    );
  });
}
