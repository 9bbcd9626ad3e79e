// One line of the log: its time, the sentence, who acted, and a disclosure with the details.
import type { AuditLine } from '@portal/contract';
import { ChevronRight, CircleAlert, Package } from 'lucide-react';
import { useId, useState } from 'react';
import { Link } from 'wouter';
import { Icon } from '../../../ui/icon.tsx';
import { isolate } from '../../../ui/isolate.ts';
import { Tag } from '../../../ui/tag.tsx';
import { say } from '../../../words/say.ts';
import { type About, findAboutAll } from './about.ts';
import { findAct } from './acts.ts';
import { type Entry, sayEntry } from './fold.ts';
import { type ProductNames, sayActor, sayExactTime, sayHint, sayTime } from './line-words.ts';
import styles from './lines.module.css';
import { LogDetails } from './log-details.tsx';

type LogLineProps = { entry: Entry; names: ProductNames; hasAbout: boolean };

export function LogLine({ entry, names, hasAbout }: LogLineProps) {
  const [isOpen, setOpen] = useState(false);
  const id = useId();
  const { at, actor, action, detail } = entry.newest;
  const act = findAct(action);
  const sentence = sayEntry(entry, names);
  // The timeline of a person has lines about the person's cohorts. Elsewhere the column 'About' names the cohort.
  const cohort = hasAbout || entry.newest.person !== null ? null : entry.newest.cohort;
  const who = sayActor(actor);
  const exact = sayExactTime(at);
  const note = action === 'note.add' && typeof detail.text === 'string' ? detail.text : null;
  return (
    <li className={styles.line} data-open={isOpen || undefined} data-bad={act?.isBad}>
      <time className={styles.time} dateTime={at} title={exact}>
        <span aria-hidden="true">{sayTime(at)}</span>
        <span className="sr-only">{exact}</span>
      </time>
      <Icon of={act?.icon ?? Package} size={16} />
      <span id={`${id}-what`} className={styles.sentence} data-raw={sentence === null || undefined}>
        {sentence === null ? <code>{action}</code> : <Sentence words={sentence} line={entry.newest} />}
        {cohort !== null && ` ${say('(cohort {name})', { name: isolate(cohort.name) })}`}
        {act?.sayTag && (
          <>
            {' '}
            <Tag tone="danger">
              <Icon of={CircleAlert} size={13} />
              {act.sayTag()}
            </Tag>
          </>
        )}
      </span>
      {hasAbout && <AboutCell about={findAboutAll(entry.lines)} />}
      <span className={styles.who} title={who}>
        {who}
      </span>
      <button
        type="button"
        id={`${id}-button`}
        className={styles.more}
        aria-expanded={isOpen}
        aria-controls={`${id}-details`}
        aria-labelledby={`${id}-button ${id}-what`}
        onClick={() => setOpen(!isOpen)}
      >
        <Icon of={ChevronRight} size={13} />
        {say('Details')}
      </button>
      {note !== null && (
        <p className={styles.note} dir="auto">
          {note}
        </p>
      )}
      <div id={`${id}-details`} className={styles.details} hidden={!isOpen}>
        {isOpen && <LogDetails entry={entry} names={names} hasAbout={hasAbout} />}
      </div>
    </li>
  );
}

/** The hint of a code at the end of the sentence is not broken into two lines. */
function Sentence({ words, line }: { words: string; line: AuditLine }) {
  const hint = `(${sayHint(line)})`;
  if (!words.endsWith(hint)) return words;
  return (
    <>
      {words.slice(0, -hint.length)}
      <span className={styles.hint}>{hint}</span>
    </>
  );
}

/** Phones show no empty cell. */
function AboutCell({ about }: { about: About | null }) {
  return (
    <span className={styles.about} dir="auto" title={about?.name}>
      {about?.href ? <Link href={about.href}>{about.name}</Link> : about?.name}
    </span>
  );
}
