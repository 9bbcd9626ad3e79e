// Shows text with links for its web and mail addresses.
import { ExternalLink } from './external-link.tsx';
import { linkify } from './links.ts';

/** Shows `text` with its addresses as links. Web links open in a new tab and send no referrer. */
export function LinkedText({ text }: { text: string }) {
  let end = 0;
  return linkify(text).map(({ text: words, href }) => {
    end += words.length;
    if (!href) return <span key={end}>{words}</span>;
    const Anchor = href.startsWith('mailto:') ? 'a' : ExternalLink;
    return (
      // <bdi> makes the address read from left to right, also in right-to-left text.
      <bdi key={end}>
        <Anchor className="link" href={href}>
          {words}
        </Anchor>
      </bdi>
    );
  });
}
