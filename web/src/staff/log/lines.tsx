// The lines of the log: for each day a heading and a list (R-TRAIL-51).
import type { AuditLine } from '@portal/contract';
import { ChevronRight, CircleAlert, Package } from 'lucide-react';
import { useId, useState } from 'react';
import { Link } from 'wouter';
import { Icon, Skeleton } from '../../ui/icon.tsx';
import { Tag } from '../../ui/tag.tsx';
import { isolate } from '../../ui/text.tsx';
import { say } from '../../words/say.ts';
import {
  type ProductNames,
  sayActor,
  sayDayHeading,
  sayExactTime,
  sayHint,
  sayTime,
} from '../nouns/log-line.ts';
import { useProductNames } from '../nouns/product.tsx';
import { type About, type Entry, findAboutAll, groupByDay, LogDetails, sayEntry } from './details.tsx';
import styles from './lines.module.css';
import { findAct } from './sentences.ts';

/** Number of lines that a list requests at once. */
export const PAGE_LINES = 50;

type LogLinesProps = {
  lines: readonly AuditLine[];
  /** True adds the column 'About'. It is for lists with lines about several things (N-78). */
  hasAbout: boolean;
  /** True while other lines are loading. */
  busy?: boolean;
};

export function LogLines({ lines, hasAbout, busy }: LogLinesProps) {
  const { names } = useProductNames(listProductsOf(lines));
  const now = new Date();
  return (
    <div className={styles.lines} data-about={hasAbout || undefined} aria-busy={busy || undefined}>
      {groupByDay(lines, names).map(({ key, at, entries }) => (
        <section key={key}>
          <h3 className="text-xs/4 py-2.5 px-6 bg-sunken [border-block:1px_solid_var(--line)] font-medium [letter-spacing:var(--tracking-normal)] text-ink-2 max-md:px-4.5">
            {sayDayHeading(at, now)}
          </h3>
          <ol>
            {entries.map((entry) => (
              <LogLine key={entry.key} entry={entry} names={names} hasAbout={hasAbout} />
            ))}
          </ol>
        </section>
      ))}
    </div>
  );
}

/** Returns the products whose names the lines lack: their `detail` contains only the ids. */
function listProductsOf(lines: readonly AuditLine[]): { product_id: string }[] {
  return lines.flatMap(({ detail: { product_ids, granted, product_id } }) =>
    [product_ids, granted, [product_id]]
      .flatMap((ids) => (Array.isArray(ids) ? ids : []))
      .filter((id) => typeof id === 'string')
      .map((id) => ({ product_id: id })),
  );
}

const WIDTHS = [
  'h-3 my-1 col-[3] w-[38%] max-md:[grid-area:1_/_2]',
  'h-3 my-1 col-[3] w-[52%] max-md:[grid-area:1_/_2]',
  'h-3 my-1 col-[3] w-[30%] max-md:[grid-area:1_/_2]',
];

/** Shows three placeholders of the size of a line. */
export function LogLoading() {
  return (
    <div className={styles.lines}>
      <p className="sr-only" role="status">
        {say('Loading...')}
      </p>
      <ol aria-hidden="true" className="border-t border-line">
        {WIDTHS.map((width) => (
          <li key={width} className={styles.line}>
            <Skeleton className="h-3 my-1 w-8 max-md:[grid-area:1_/_3]" />
            <Skeleton className={width} />
            <Skeleton className="h-3 my-1 col-[-3] w-36 max-w-full max-md:[grid-area:2_/_2]" />
          </li>
        ))}
      </ol>
    </div>
  );
}

// One line of the log: its time, the sentence, who acted, and a disclosure with the details.

type LogLineProps = { entry: Entry; names: ProductNames; hasAbout: boolean };

function LogLine({ entry, names, hasAbout }: LogLineProps) {
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
      <span className="whitespace-nowrap">{hint}</span>
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
