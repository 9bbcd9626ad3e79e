// How the offer is redeemed: the product's own instructions, or three steps that always hold (R-PROD-25 to R-PROD-28).

import { classes } from '../../ui/classes.ts';
import { LinkedText } from '../../ui/linked-text.tsx';
import styles from './how-to.module.css';
import { splitInstructions } from './instructions.ts';

const STEPS = [
  {
    title: 'Login & Verify',
    text: 'Sign in with the email you used at purchase so we can check your access.',
  },
  { title: 'Get Your Code', text: 'Press Redeem Now. Your code appears on the ticket above; copy it.' },
  { title: 'Activate Your Access', text: 'Open the partner’s site and enter the code there. It works once.' },
];

export function HowTo({ instructions }: { instructions: string | null }) {
  const lines = splitInstructions(instructions);
  return (
    <section className="mt-[clamp(3rem,6vw,4.5rem)]" aria-labelledby="how-to">
      <h2 id="how-to" className="text-xl">
        How To Redeem Your Offer
      </h2>
      {lines.length > 0 ? (
        <ol className={classes(styles.steps, styles.list)}>
          {lines.map((line) => (
            <li key={line.number}>
              <p>
                <LinkedText text={line.text} />
              </p>
            </li>
          ))}
        </ol>
      ) : (
        <ol className={styles.steps}>
          {STEPS.map((step) => (
            <li key={step.title}>
              <h3>{step.title}</h3>
              <p>{step.text}</p>
            </li>
          ))}
        </ol>
      )}
    </section>
  );
}
