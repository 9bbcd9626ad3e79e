// The lines of the log: for each day a heading and a list (R-TRAIL-51).
import type { AuditLine } from '@portal/contract';
import { ChevronRight, CircleAlert, Package } from 'lucide-react';
import { useId, useState } from 'react';
import { Link } from 'wouter';
import { classes } from '../../ui/dom.ts';
import { Icon, Skeleton } from '../../ui/icon.tsx';
import { Tag } from '../../ui/tag.tsx';
import { isolate } from '../../ui/text.tsx';
import { plural, t } from '../../words/translate.ts';
import {
  formatActor,
  formatDayHeading,
  formatExactTime,
  formatSuffix,
  formatTime,
  type ProductNames,
} from '../nouns/log-line.ts';
import { useProductNames } from '../nouns/product.tsx';
import type { About, Entry } from './details.tsx';
import { findAbout, formatEntry, LogDetails, SENTENCE, UnknownAction } from './details.tsx';
import { findAction } from './sentences.ts';

export const PAGE_LINES = 50;

/** Classes of what stands beside the title of a card with a list: the time of the list, and a button. */
export const LOG_ACTIONS =
  'flex flex-wrap items-center gap-x-3 gap-y-1 md:[&>button:last-child]:mr-3 max-md:[&>button:last-child]:ml-2.5';

/** Time, icon, sentence, who acted, button. On phones, the icon comes first, and who acted is below the sentence. */
const LINE =
  'grid items-start gap-x-3.5 border-b border-line px-6 py-2.75 grid-cols-[3.75rem_1rem_minmax(0,1fr)_14.5rem_auto] max-md:grid-cols-[1rem_minmax(0,1fr)_auto] max-md:gap-x-3 max-md:gap-y-px max-md:px-4.5 max-md:py-3';
/** Adds the column 'About'. On tablets, this column replaces the actor. */
const WITH_ABOUT =
  'md:grid-cols-[3.75rem_1rem_minmax(0,1fr)_10rem_auto] lg:grid-cols-[3.75rem_1rem_minmax(0,1fr)_15rem_14.5rem_auto]';

type LogLinesProps = {
  lines: readonly AuditLine[];
  /** True adds the column 'About'. It is for lists with lines about several things (N-78). */
  hasAbout: boolean;
  busy?: boolean;
};

export function LogLines({ lines, hasAbout, busy }: LogLinesProps) {
  const { names } = useProductNames(listProductsOf(lines));
  const now = new Date();
  return (
    <div className="text-sm aria-busy:opacity-55" aria-busy={busy || undefined}>
      {groupByDay(lines, names).map(({ key, at, entries }) => (
        <section key={key} className="last:[&>ol>:last-child]:border-b-0">
          <h3 className="text-xs/4 py-2.5 px-6 bg-sunken [border-block:1px_solid_var(--line)] font-medium [letter-spacing:var(--tracking-normal)] text-ink-2 max-md:px-4.5">
            {formatDayHeading(at, now)}
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

const WIDTHS = ['w-[38%]', 'w-[52%]', 'w-[30%]'];

export function LogLoading() {
  return (
    <div className="text-sm">
      <p className="sr-only" role="status">
        {t('Loading...')}
      </p>
      <ol aria-hidden="true" className="border-t border-line">
        {WIDTHS.map((width) => (
          <li key={width} className={classes(LINE, 'last:border-b-0')}>
            <Skeleton className="h-3 my-1 w-8 max-md:[grid-area:1_/_3]" />
            <Skeleton className={classes('h-3 my-1 col-[3] max-md:[grid-area:1_/_2]', width)} />
            <Skeleton className="h-3 my-1 col-[-3] w-36 max-w-full max-md:[grid-area:2_/_2]" />
          </li>
        ))}
      </ol>
    </div>
  );
}

type LogLineProps = { entry: Entry; names: ProductNames; hasAbout: boolean };

function LogLine({ entry, names, hasAbout }: LogLineProps) {
  const [isOpen, setOpen] = useState(false);
  const id = useId();
  const { at, actor, action: name, detail } = entry.newest;
  const action = findAction(name);
  const sentence = formatEntry(entry, names);
  // The timeline of a person has lines about the person's cohorts. Elsewhere the column 'About' names the cohort.
  const cohort = hasAbout || entry.newest.person !== null ? null : entry.newest.cohort;
  const who = formatActor(actor);
  const exact = formatExactTime(at);
  const note = name === 'note.add' && typeof detail.text === 'string' ? detail.text : null;
  return (
    <li
      className={classes(
        LINE,
        hasAbout && WITH_ABOUT,
        isOpen && '[background:light-dark(var(--n-1),var(--n-2))]',
      )}
    >
      <time
        className="whitespace-nowrap text-ink-3 tabular-nums max-md:[grid-area:1_/_3] max-md:justify-self-end"
        dateTime={at}
        title={exact}
      >
        <span aria-hidden="true">{formatTime(at)}</span>
        <span className="sr-only">{exact}</span>
      </time>
      <Icon
        of={action?.icon ?? Package}
        size={16}
        className={classes(
          'mt-0.5 max-md:[grid-area:1_/_1]',
          action?.isBad ? 'text-danger-text' : 'text-ink-3',
        )}
      />
      <span id={`${id}-what`} className={classes(SENTENCE, 'max-md:[grid-area:1_/_2]')}>
        {sentence === null ? (
          <UnknownAction action={name} />
        ) : (
          <Sentence words={sentence} line={entry.newest} />
        )}
        {cohort !== null && ` ${t('(cohort {name})', { name: isolate(cohort.name) })}`}
        {action?.formatTag && (
          <>
            {' '}
            <Tag tone="danger">
              <Icon of={CircleAlert} size={13} />
              {action.formatTag()}
            </Tag>
          </>
        )}
      </span>
      {hasAbout && <AboutCell about={findAboutAll(entry.lines)} />}
      <span
        className={classes('truncate text-ink-3 max-md:col-[2]', hasAbout && 'md:max-lg:hidden')}
        title={who}
      >
        {who}
      </span>
      <button
        type="button"
        id={`${id}-button`}
        className="-my-0.5 -mr-1.5 inline-flex min-h-6 cursor-pointer items-center gap-1 justify-self-end rounded-sm px-1.5 whitespace-nowrap text-ink-2 hover:bg-pressed hover:text-ink max-md:col-[3]"
        aria-expanded={isOpen}
        aria-controls={`${id}-details`}
        aria-labelledby={`${id}-button ${id}-what`}
        onClick={() => setOpen(!isOpen)}
      >
        <Icon of={ChevronRight} size={13} className={classes('transition-[rotate]', isOpen && 'rotate-90')} />
        {t('Details')}
      </button>
      {note !== null && (
        <p
          className="col-[3_/_-1] mt-1.5 max-w-[76ch] border-l-2 border-line-strong pl-3 wrap-anywhere whitespace-pre-line text-ink-2 max-md:col-[2_/_-1]"
          dir="auto"
        >
          {note}
        </p>
      )}
      <div
        id={`${id}-details`}
        className="col-[3_/_-1] mt-2.5 mb-1.5 overflow-hidden rounded-md border border-line max-md:col-span-full"
        hidden={!isOpen}
      >
        {isOpen && <LogDetails entry={entry} names={names} hasAbout={hasAbout} />}
      </div>
    </li>
  );
}

/** The last characters of a code, at the end of the sentence, are not broken into two lines. */
function Sentence({ words, line }: { words: string; line: AuditLine }) {
  const hint = `(${formatSuffix(line)})`;
  if (!words.endsWith(hint)) return words;
  return (
    <>
      {words.slice(0, -hint.length)}
      <span className="whitespace-nowrap">{hint}</span>
    </>
  );
}

/** Phones show no empty cell. A link is 24 px high, so that a finger hits it; its outline stays inside the cell. */
function AboutCell({ about }: { about: About | null }) {
  const link =
    'inline-block max-w-full truncate rounded-[2px] py-0.5 align-top hover:underline hover:underline-offset-[0.2em] focus-visible:-outline-offset-2';
  return (
    <span
      className={classes('-my-0.5 truncate max-md:col-[2] max-md:empty:hidden', !about?.href && 'py-0.5')}
      dir="auto"
      title={about?.name}
    >
      {about?.href ? (
        <Link href={about.href} className={link}>
          {about.name}
        </Link>
      ) : (
        about?.name
      )}
    </span>
  );
}

/** Returns what several lines of a group are about. If they are about several things, returns only their number. */
export function findAboutAll(lines: readonly AuditLine[]): About | null {
  const found = lines.map(findAbout).filter((about) => about !== null);
  const [first] = found;
  if (first === undefined) return null;
  const keys = new Set(found.map(({ type, key }) => `${type} ${key}`));
  if (keys.size === 1) return first;
  const type = found.every((about) => about.type === first.type) ? first.type : 'any';
  return { ...first, name: THINGS[type](keys.size), href: null };
}

const THINGS: Record<About['type'] | 'any', (count: number) => string> = {
  person: plural('{count} person', '{count} people'),
  product: plural('{count} product', '{count} products'),
  upload: plural('{count} upload', '{count} uploads'),
  code: plural('{count} code', '{count} codes'),
  cohort: plural('{count} cohort', '{count} cohorts'),
  any: plural('{count} subject', '{count} subjects'),
};

/** `at` is the time of the newest line. */
type Day = { key: string; at: string; entries: Entry[] };

/**
 * Groups `lines`, newest first, by day, and actions of the same second, actor and name into one entry (R-TRAIL-51). If the
 * clock of the server went back, a day can appear twice (R-TRAIL-62).
 */
export function groupByDay(lines: readonly AuditLine[], names: ProductNames): Day[] {
  const days: Day[] = [];
  let groups = new Map<string, Entry>();
  for (const line of lines) {
    let day = days.at(-1);
    if (!day || dayOf(day.at) !== dayOf(line.at)) {
      day = { key: line.id, at: line.at, entries: [] };
      days.push(day);
      groups = new Map();
    }
    const key = groupKeyOf(line, names);
    const same = key === null ? undefined : groups.get(key);
    if (same) {
      same.lines.push(line);
      continue;
    }
    const entry = { key: line.id, newest: line, lines: [line] };
    day.entries.push(entry);
    if (key !== null) groups.set(key, entry);
  }
  return days;
}

/** Returns the day of a time in the browser's time zone, as a string to compare. */
function dayOf(at: string): string {
  return new Date(at).toDateString();
}

/** Returns a string that is equal for lines of one group; null for a note, which is in no group. */
function groupKeyOf(line: AuditLine, names: ProductNames): string | null {
  const { action: name, actor, at } = line;
  if (name === 'note.add') return null;
  const action = findAction(name);
  const sentence = action && !action.formatMany ? action.t(line, names) : '';
  return JSON.stringify([at.slice(0, 'YYYY-MM-DDTHH:MM:SS'.length), actor, name, sentence]);
}
