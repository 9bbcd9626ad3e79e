// The details of a line of the log: what changed, by what way and when (R-TRAIL-51).
import type { AuditLine } from '@portal/contract';
import { sayNumber } from '../../../words/format.ts';
import { say } from '../../../words/say.ts';
import { findAbout } from './about.ts';
import styles from './details.module.css';
import { type DetailRow, listDetails } from './details.ts';
import { type Entry, sayEntry } from './fold.ts';
import { type ProductNames, sayExactTime } from './line-words.ts';
import lineStyles from './lines.module.css';

type LogDetailsProps = { entry: Entry; names: ProductNames; hasAbout: boolean };

export function LogDetails({ entry, names, hasAbout }: LogDetailsProps) {
  const { newest, lines } = entry;
  const rows = lines.length === 1 ? listDetails(newest, names) : [];
  return (
    <>
      {lines.length > 1 && (
        <ul className={styles.folded}>
          {lines.map((line) => (
            <FoldedLine key={line.id} line={line} names={names} hasAbout={hasAbout} />
          ))}
        </ul>
      )}
      {rows.length > 0 && <Changes rows={rows} />}
      <div className={styles.facts}>
        <Fact label={say('Way')} value={sayWay(newest.via)} />
        {newest.ip !== null && <Fact label={say('From')} value={newest.ip} />}
        {typeof newest.detail.attempts === 'number' && (
          <Fact label={say('Tries')} value={sayNumber(newest.detail.attempts)} />
        )}
        <Fact label={say('At')} value={sayExactTime(newest.at)} />
        <Fact label={say('Line')} value={sayNumber(Number(newest.id))} />
      </div>
    </>
  );
}

function FoldedLine({ line, names, hasAbout }: { line: AuditLine; names: ProductNames; hasAbout: boolean }) {
  const sentence = sayEntry({ key: line.id, newest: line, lines: [line] }, names);
  const about = hasAbout ? findAbout(line) : null;
  return (
    <li>
      <span className={lineStyles.sentence} data-raw={sentence === null || undefined}>
        {sentence ?? <code>{line.action}</code>}
      </span>
      {about && <span dir="auto">{about.name}</span>}
    </li>
  );
}

function Changes({ rows }: { rows: readonly DetailRow[] }) {
  const hasOld = rows.some((row) => 'old' in row);
  return (
    <table className={styles.changes}>
      {hasOld && (
        <thead>
          <tr>
            <th scope="col">{say('What changed')}</th>
            <th scope="col">{say('Old')}</th>
            <th scope="col">{say('New')}</th>
          </tr>
        </thead>
      )}
      <tbody>
        {rows.map((row) => (
          <tr key={row.key}>
            <th scope="row">{row.label}</th>
            {'old' in row ? (
              <>
                <td className={styles.old}>
                  <span className={styles.was}>{say('was')} </span>
                  <bdi>{row.old}</bdi>
                </td>
                <td>
                  <span className={styles.was}>{say('now')} </span>
                  <bdi>{row.new}</bdi>
                </td>
              </>
            ) : (
              <td colSpan={hasOld ? 2 : undefined}>
                <bdi>{row.value}</bdi>
              </td>
            )}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Fact({ label, value }: { label: string; value: string }) {
  return (
    <span>
      {label} <b>{value}</b>
    </span>
  );
}

function sayWay(via: AuditLine['via']): string {
  if (via === 'key') return say('key');
  if (via === 'operator') return say('operator');
  return via === 'portal' ? say('portal') : say('page');
}
