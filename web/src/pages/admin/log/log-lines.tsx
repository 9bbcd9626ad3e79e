// The lines of the log: for each day a heading and a list (R-TRAIL-51).
import type { AuditLine } from '@portal/contract';
import { Skeleton } from '../../../ui/skeleton.tsx';
import { say } from '../../../words/say.ts';
import { useProductNames } from '../use-product-names.ts';
import { groupByDay } from './fold.ts';
import { sayDayHeading } from './line-words.ts';
import styles from './lines.module.css';
import { LogLine } from './log-line.tsx';

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
          <h3 className={styles.day}>{sayDayHeading(at, now)}</h3>
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

const WIDTHS = [styles.short, styles.long, styles.shorter];

/** Shows three placeholders of the size of a line. */
export function LogLoading() {
  return (
    <div className={styles.lines}>
      <p className="sr-only" role="status">
        {say('Loading...')}
      </p>
      <ol aria-hidden="true" className={styles.waiting}>
        {WIDTHS.map((width) => (
          <li key={width} className={styles.line}>
            <Skeleton className={styles.timePlace} />
            <Skeleton className={width} />
            <Skeleton className={styles.whoPlace} />
          </li>
        ))}
      </ol>
    </div>
  );
}
