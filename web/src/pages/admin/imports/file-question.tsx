// Asks staff about a file that was not sent yet: which column holds the codes, or what becomes of rows without a code
// (R-IMP-14, R-IMP-15, R-MAP-22, R-MAP-23, N-37).
import { FileText } from 'lucide-react';
import { useEffect, useId, useRef, useState } from 'react';
import { Button } from '../../../ui/button.tsx';
import { Check } from '../../../ui/check.tsx';
import { cut } from '../../../ui/cut.ts';
import { Icon } from '../../../ui/icon.tsx';
import { say } from '../../../words/say.ts';
import { BlanksDialog } from './blanks-dialog.tsx';
import styles from './check.module.css';
import { DatesDialog } from './dates-dialog.tsx';
import { IgnoredDialog } from './ignored-dialog.tsx';
import type { ImportRun, Question } from './import-runs.ts';
import card from './imports.module.css';

const FIELD = { users: 'email', coupons: 'coupon_code', products: 'name' };
const CELL_MAX = 40;

export function FileQuestion({ run }: { run: ImportRun }) {
  const { question } = run;
  if (!question) return null;
  if (question.about === 'blanks') return <BlanksDialog fileName={run.fileName} question={question} />;
  if (question.about === 'ignored') return <IgnoredDialog fileName={run.fileName} question={question} />;
  if (question.about === 'dates') return <DatesDialog fileName={run.fileName} question={question} />;
  // A question about another file begins without a choice.
  return <ColumnCard key={run.id} run={run} question={question} />;
}

type ColumnCardProps = { run: ImportRun; question: Extract<Question, { lines: string[][] }> };

function ColumnCard({ run, question }: ColumnCardProps) {
  const { kind, fileName } = run;
  const { about, lines, answer } = question;
  const id = useId();
  const title = useRef<HTMLHeadingElement>(null);
  const [column, setColumn] = useState(about === 'columns' ? 0 : 1);
  const [header, setHeader] = useState(true);
  useEffect(() => title.current?.focus(), []);
  const use = (hasNames: boolean) => answer({ columns: { [FIELD[kind]]: column }, header: hasNames });
  return (
    <section className={styles.question} aria-labelledby={`${id}-title`}>
      <div>
        <h2 ref={title} id={`${id}-title`} tabIndex={-1} className={styles.title}>
          {sayQuestion(about, kind)}
        </h2>
        <p className={styles.file}>
          <Icon of={FileText} size={16} />
          <b>{fileName}</b>
          <span>{say('Nothing was imported yet.')}</span>
        </p>
      </div>
      <Lines lines={lines} column={column} {...(about === 'columns' && { name: id, onChoose: setColumn })} />
      {about === 'columns' && (
        <Check label={say('The first line is column names')} value={header} onChange={setHeader} />
      )}
      <div className={card.foot}>
        {about === 'columns' ? (
          <Button look="primary" disabled={column === 0} onClick={() => use(header)}>
            {column === 0 ? say('Choose a column') : say('Use column {column}', { column })}
          </Button>
        ) : (
          <>
            <Button look="primary" onClick={() => use(false)}>
              {kind === 'users' ? say('It is an address') : say('It is a code')}
            </Button>
            <Button onClick={() => use(true)}>{say('It is the name of the column')}</Button>
          </>
        )}
        <Button look={about === 'columns' ? 'outline' : 'ghost'} onClick={() => answer(null)}>
          {say('Discard')}
        </Button>
      </div>
    </section>
  );
}

function sayQuestion(about: 'columns' | 'first-line', kind: ImportRun['kind']): string {
  if (about === 'columns')
    return kind === 'users'
      ? say('Which column holds the email addresses?')
      : say('Which column holds the codes?');
  return kind === 'users' ? say('Is the first line an address?') : say('Is the first line a code?');
}

type LinesProps = {
  lines: string[][];
  column: number;
  name?: string;
  onChoose?: (column: number) => void;
};

/** The first lines of the file. With `onChoose`, each column has a radio button. */
function Lines({ lines, column, name, onChoose }: LinesProps) {
  const columns = Array.from({ length: Math.max(...lines.map((line) => line.length)) }, (_, at) => at + 1);
  const chosen = (at: number) => (at === column && onChoose ? '' : undefined);
  return (
    // The frame scrolls, so that keyboard users must be able to focus it.
    // biome-ignore lint/a11y/noNoninteractiveTabindex: see above
    <section className={styles.frame} aria-label={say('First lines of the file')} tabIndex={0}>
      <table className={styles.lines}>
        <thead>
          <tr>
            <td>
              <span className="sr-only">{say('Line')}</span>
            </td>
            {columns.map((at) => (
              <th key={at} scope="col" data-chosen={chosen(at)}>
                {onChoose ? (
                  <label>
                    <input type="radio" name={name} checked={at === column} onChange={() => onChoose(at)} />
                    {say('Column {column}', { column: at })}
                  </label>
                ) : (
                  say('Column {column}', { column: at })
                )}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {lines.map((line, row) => (
            <tr key={row}>
              <th scope="row">{row + 1}</th>
              {columns.map((at) => (
                <td key={at} data-chosen={chosen(at)}>
                  <bdi>{cut((line[at - 1] ?? '').replaceAll(/\p{Cc}/gu, '\uFFFD'), CELL_MAX)}</bdi>
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
