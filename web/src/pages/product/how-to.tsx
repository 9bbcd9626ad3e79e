// The section that explains how to redeem. It shows the instructions of the product, or three default steps (R-PROD-25
// to R-PROD-28).

import { classes } from '../../ui/classes.ts';
import { LinkedText } from '../../ui/linked-text.tsx';
import { say } from '../../words/say.ts';
import styles from './how-to.module.css';
import { splitInstructions } from './instructions.ts';

const listSteps = () => [
  {
    title: say('Login & Verify'),
    text: say('Sign in with the email you used at purchase so we can check your access.'),
  },
  {
    title: say('Get Your Code'),
    text: say('Press Redeem Now. Your code appears on the ticket above; copy it.'),
  },
  {
    title: say('Activate Your Access'),
    text: say('Open the partner’s site and enter the code there. It works once.'),
  },
];

export function HowTo({ instructions }: { instructions: string | null }) {
  const lines = splitInstructions(instructions);
  return (
    <section className="mt-[clamp(3rem,6vw,4.5rem)]" aria-labelledby="how-to">
      <h2 id="how-to" className="text-xl">
        {say('How To Redeem Your Offer')}
      </h2>
      {lines.length > 0 ? (
        <ol className={classes(styles.steps, styles.list)}>
          {lines.map((line) => (
            <li key={line.number}>
              <p dir="auto">
                <LinkedText text={line.text} />
              </p>
            </li>
          ))}
        </ol>
      ) : (
        <ol className={styles.steps}>
          {listSteps().map((step) => (
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
