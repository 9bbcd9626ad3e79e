// Three numbered steps on one strip of paper, for example the steps of a redemption.
import { classes } from './classes.ts';
import paper from './paper.module.css';
import { Rosette } from './rosette.tsx';
import styles from './strip.module.css';

type StripProps = { label: string; steps: { title: string; text: string; mark: string }[] };

export function Strip({ label, steps }: StripProps) {
  return (
    <ol className={styles.strip} aria-label={label}>
      {steps.map(({ title, text, mark }, index) => (
        <li key={title} className={paper.piece}>
          <span className={paper.print}>
            <Rosette id={mark} size={240} detail="fine" />
          </span>
          {index > 0 && (
            <span className={classes(paper.perforation, paper.down, paper.turning)} aria-hidden="true" />
          )}
          <span className={styles.number} aria-hidden="true">
            {index + 1}
          </span>
          <h2>{title}</h2>
          <p>{text}</p>
        </li>
      ))}
    </ol>
  );
}
