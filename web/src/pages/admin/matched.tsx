// A name or an address in which the parts that a search has matched are marked (R-FIND-01).
import { markWords } from './mark-words.ts';
import styles from './matched.module.css';

/** `q` is the text that was searched for; nothing is marked if it is empty. */
export function Matched({ text, q }: { text: string; q: string }) {
  return (
    <bdi>
      {markWords(text, q).map(({ text: part, isMatch }, index) =>
        isMatch ? (
          <mark key={index} className={styles.match}>
            {part}
          </mark>
        ) : (
          part
        ),
      )}
    </bdi>
  );
}
