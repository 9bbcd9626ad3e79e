// The lines of the log: for each day a heading and a list (R-TRAIL-51).
import type { AuditLine } from '@portal/contract';
import { ChevronRight, CircleAlert, Package } from 'lucide-react';
import { useId, useState } from 'react';
import { Link } from 'wouter';
import { classes } from '../../ui/dom.ts';
import { Icon, Skeleton } from '../../ui/icon.tsx';
import { Tag } from '../../ui/tag.tsx';
import { isolate } from '../../ui/text.tsx';
import { t } from '../../words/translate.ts';
import { formatActor, formatDayHeading, formatSuffix, type ProductNames } from '../nouns/log-line.ts';
import { useProductNames } from '../nouns/product.tsx';
import { dayOf, formatExactTime, formatTime } from '../time.ts';
import type { About } from './details.tsx';
import { findAbout, formatLine, LogDetails, listProductsOf, SENTENCE, UnknownAction } from './details.tsx';
import { findAction } from './sentences.ts';

/** Classes of what stands beside the title of a card with a list: the time of the list, and a button. */
export const LOG_ACTIONS =
  'flex flex-wrap items-center gap-x-3 gap-y-1 md:[&>button:last-child]:mr-3 max-md:[&>button:last-child]:ml-auto';

/** Time, icon, sentence, who acted, button. On phones, the icon comes first, and below the sentence: about whom, by whom. */
const LINE =
  'grid items-start gap-x-3.5 border-b border-line px-6 py-2.75 grid-cols-[3.75rem_1rem_minmax(0,1fr)_14.5rem_auto] max-md:grid-cols-[1rem_minmax(0,1fr)_auto] max-md:gap-x-3 max-md:gap-y-px max-md:px-4.5 max-md:py-3';
/** Adds the column 'About'. On tablets, this column also has the actor. */
const WITH_ABOUT =
  'md:grid-cols-[3.75rem_1rem_minmax(0,1fr)_17rem_1.5rem] lg:grid-cols-[3.75rem_1rem_minmax(0,1.5fr)_minmax(0,1fr)_minmax(0,0.9fr)_1.5rem]';

type LogLinesProps = {
  lines: readonly AuditLine[];
  /** True adds the column 'About'. It is for lists with lines about several things (N-78). */
  hasAbout: boolean;
  /** True if the lines are entries: a line with a group is then its summary, and shows the group's lines (R-DAY-40). */
  hasEntries: boolean;
  /** True adds a head with the names of the columns, except on phones. */
  hasHead?: boolean;
  /** Id of the thing whose page has the lines. Neither the column 'About' nor the sentence names it. */
  own?: string | undefined;
  busy?: boolean;
};

export function LogLines({ lines, hasAbout, hasEntries, hasHead, own, busy }: LogLinesProps) {
  const { names } = useProductNames(listProductsOf(lines));
  return (
    <div data-log className="text-sm aria-busy:opacity-55" aria-busy={busy || undefined}>
      {hasHead && (
        // Screen readers read each line as a sentence.
        <div
          className={classes(
            LINE,
            WITH_ABOUT,
            'border-t bg-sunken text-xs/4 font-medium text-ink-3 max-md:hidden',
          )}
          aria-hidden="true"
        >
          <span>{t('Time')}</span>
          <span className="col-[3]">{t('What')}</span>
          <span>{t('About')}</span>
          <span className="max-lg:hidden">{t('Who')}</span>
        </div>
      )}
      {groupByDay(lines).map(({ key, at, lines: ofDay }) => (
        <section
          key={key}
          className="border-t border-line [&>ol>:last-child]:border-b-0 [div+&]:first-of-type:border-t-0"
        >
          <h3 className="text-xs/4 pt-3.5 pb-1 px-6 font-medium [letter-spacing:var(--tracking-normal)] text-ink-3 max-md:px-4.5">
            {formatDayHeading(at)}
          </h3>
          <ol>
            {ofDay.map((line) => (
              <LogLine key={line.id} {...{ line, names, hasAbout, hasEntries, own }} />
            ))}
          </ol>
        </section>
      ))}
    </div>
  );
}

const WIDTHS = ['w-[38%]', 'w-[52%]', 'w-[30%]'];

export function LogLoading() {
  return (
    <div data-log className="text-sm">
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

type LogLineProps = Pick<LogLinesProps, 'hasAbout' | 'hasEntries' | 'own'> & {
  line: AuditLine;
  names: ProductNames;
};

function LogLine({ line, names, hasAbout, hasEntries, own }: LogLineProps) {
  const [isOpen, setOpen] = useState(false);
  const id = useId();
  const { at, actor, action: name, detail } = line;
  const action = findAction(name);
  const isOwn = own !== undefined && (line.product?.product_id === own || line.coupon?.id === own);
  const sentence = formatLine({ ...line, isOwn }, names);
  // The timeline of a person has lines about the person's cohorts. Elsewhere the column 'About' names the cohort.
  const cohort = hasAbout || line.person !== null ? null : line.cohort;
  const who = formatActor(actor);
  const found = hasAbout ? findAbout(line) : null;
  const about = found?.key === own ? null : found;
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
        {sentence === null ? <UnknownAction action={name} /> : <Sentence words={sentence} line={line} />}
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
      <span className={classes('flex min-w-0 max-md:col-[2]', hasAbout ? 'lg:contents' : 'md:contents')}>
        {hasAbout && <AboutCell about={about} />}
        <span
          className={classes(
            'truncate text-ink-3',
            // A word, and no address.
            !actor.includes('@') && 'inline-block align-top first-letter:uppercase',
            // In one column, an actor who is also the person is named once.
            about?.name === who && 'max-lg:hidden',
            hasAbout && "max-lg:[:not(:empty)+&]:before:mx-1.5 max-lg:[:not(:empty)+&]:before:content-['·']",
          )}
          title={who}
        >
          {who}
        </span>
      </span>
      <button
        type="button"
        id={`${id}-button`}
        className="relative -my-0.5 -mr-1.5 flex size-6 cursor-pointer items-center justify-center justify-self-end rounded-sm text-ink-2 hover:bg-pressed hover:text-ink pointer-coarse:after:absolute pointer-coarse:after:-inset-2.5 max-md:col-[3]"
        aria-expanded={isOpen}
        aria-controls={`${id}-details`}
        aria-labelledby={`${id}-button ${id}-what`}
        onClick={() => setOpen(!isOpen)}
      >
        <Icon of={ChevronRight} size={16} className={classes('transition-[rotate]', isOpen && 'rotate-90')} />
        <span className="sr-only">{t('Details')}</span>
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
        {isOpen && <LogDetails {...{ line, names }} group={hasEntries ? line.group_id : null} />}
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
      className={classes('-my-0.5 truncate max-lg:empty:hidden', !about?.href && 'py-0.5')}
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

/** `at` is the time of the newest line. */
type Day = { key: string; at: string; lines: AuditLine[] };

/** Groups `lines`, newest first, by day. If the clock of the server went back, a day can appear twice (R-TRAIL-62). */
export function groupByDay(lines: readonly AuditLine[]): Day[] {
  const days: Day[] = [];
  for (const line of lines) {
    const day = days.at(-1);
    if (day && dayOf(day.at) === dayOf(line.at)) day.lines.push(line);
    else days.push({ key: line.id, at: line.at, lines: [line] });
  }
  return days;
}
