// Shown in place of a page whose content needs a higher role (R-TEAM-32, N-43).
import card from '../../ui/card.module.css';
import { NoRows } from '../../ui/no-rows.tsx';
import { say } from '../../words/say.ts';

export function NothingHere() {
  return (
    <section className={card.card}>
      <NoRows>
        <p>{say('Nothing here for your role.')}</p>
      </NoRows>
    </section>
  );
}
