// Asks staff about a file before it is sent (R-IMP-14, R-IMP-15, R-MAP-22, R-MAP-23, N-37).
import type { CsvKind, CsvOptions, DayOrder, ImportState } from '@portal/contract';
import {
  CsvError,
  CsvLimitError,
  createDayOrder,
  createRecordReader,
  email,
  findLayout,
  isBlankLine,
  listIgnored,
  readCell,
  readDay,
  splitLines,
} from '@portal/contract';
import { type ReactNode, useEffect, useId, useRef, useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { ConfirmDialog, DIALOG_BUTTONS, DIALOG_PANEL } from '../../ui/confirm-dialog.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { classes } from '../../ui/dom.ts';
import { Check } from '../../ui/field.tsx';
import { cut, isolate } from '../../ui/text.tsx';
import { t, tCount } from '../../words/translate.ts';
import { formatDay } from '../time.ts';
import { type Question, type ShownUpload, uploads } from './follow.ts';
import { FileLine, showControls } from './result.tsx';
import { formatFile, nameColumns } from './words.ts';

const FIELD = { users: 'email', coupons: 'coupon_code', products: 'name' };
const CELL_MAX = 40;

export function FileQuestion({ job, question }: { job: ImportState; question: Question }) {
  const fileName = formatFile(job);
  if (question.about === 'blanks') return <BlanksDialog fileName={fileName} question={question} />;
  if (question.about === 'ignored') return <IgnoredDialog fileName={fileName} question={question} />;
  if (question.about === 'dates') return <DatesDialog fileName={fileName} question={question} />;
  // The next file has another `key`, so React forgets what the user chose for this file.
  return <ColumnCard key={job.id} kind={job.kind} fileName={fileName} question={question} />;
}

/** Props of a component that shows the question with the field `Field`. */
type About<Field extends string> = { fileName: string; question: Extract<Question, Record<Field, unknown>> };

function ColumnCard({ kind, fileName, question }: About<'lines'> & { kind: CsvKind }) {
  const { about, lines, answer } = question;
  const id = useId();
  const title = useRef<HTMLHeadingElement>(null);
  const [column, setColumn] = useState(about === 'columns' ? 0 : 1);
  const [header, setHeader] = useState(true);
  useEffect(() => title.current?.focus(), []);
  const use = (hasNames: boolean) => answer({ columns: { [FIELD[kind]]: column }, header: hasNames });
  return (
    <section
      className="grid gap-4 min-w-0 pt-5 px-4.5 pb-6 bg-surface border border-line rounded-lg md:px-6"
      aria-labelledby={`${id}-title`}
    >
      <div>
        <h2 ref={title} id={`${id}-title`} tabIndex={-1} className="text-lg">
          {formatQuestion(about, kind)}
        </h2>
        <FileLine fileName={fileName}>{t('Nothing was imported yet.')}</FileLine>
      </div>
      <Lines lines={lines} column={column} {...(about === 'columns' && { name: id, onChoose: setColumn })} />
      {about === 'columns' && (
        <Check label={t('The first line is column names')} value={header} onChange={setHeader} />
      )}
      <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
        {about === 'columns' ? (
          <Button look="primary" disabled={column === 0} onClick={() => use(header)}>
            {column === 0 ? t('Choose a column') : t('Use column {column}', { column: `${column}` })}
          </Button>
        ) : (
          <>
            <Button look="primary" onClick={() => use(false)}>
              {kind === 'users' ? t('It is an address') : t('It is a code')}
            </Button>
            <Button onClick={() => use(true)}>{t('It is the name of the column')}</Button>
          </>
        )}
        <Button look={about === 'columns' ? 'outline' : 'ghost'} onClick={() => answer(null)}>
          {t('Discard')}
        </Button>
      </div>
    </section>
  );
}

function formatQuestion(about: 'columns' | 'first-line', kind: CsvKind): string {
  if (about === 'columns')
    return kind === 'users'
      ? t('Which column holds the email addresses?')
      : t('Which column holds the codes?');
  return kind === 'users' ? t('Is the first line an address?') : t('Is the first line a code?');
}

type LinesProps = { lines: string[][]; column: number; name?: string; onChoose?: (column: number) => void };

const CELL = 'py-1.75 px-3 border-b border-line text-left whitespace-nowrap';
const CHOSEN =
  'bg-neutral-3 text-ink forced-colors:[outline:1px_solid_Highlight] forced-colors:-outline-offset-1';

/** The first lines of the file. With `onChoose`, each column has a radio button. */
function Lines({ lines, column, name, onChoose }: LinesProps) {
  const columns = Array.from({ length: Math.max(...lines.map((line) => line.length)) }, (_, at) => at + 1);
  const chosen = (at: number) => (at === column && onChoose ? CHOSEN : undefined);
  return (
    // The frame scrolls, so keyboard users must be able to focus it.
    <section
      className="overflow-x-auto border border-line rounded-md"
      aria-label={t('First lines of the file')}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: see above
      tabIndex={0}
    >
      <table className="w-full text-sm">
        <thead>
          <tr>
            <td className={CELL}>
              <span className="sr-only">{t('Line')}</span>
            </td>
            {columns.map((at) => (
              <th key={at} scope="col" className={classes(CELL, 'font-medium', chosen(at) ?? 'bg-sunken')}>
                {onChoose ? (
                  <label className="inline-flex items-center gap-2 min-h-6 cursor-pointer">
                    <input
                      type="radio"
                      name={name}
                      className="size-4 accent-ink"
                      checked={at === column}
                      onChange={() => onChoose(at)}
                    />
                    {t('Column {column}', { column: `${at}` })}
                  </label>
                ) : (
                  t('Column {column}', { column: `${at}` })
                )}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {lines.map((line, row) => (
            <tr key={row}>
              <th
                scope="row"
                className={classes(CELL, 'w-[1%] font-normal text-right! tabular-nums text-ink-3')}
              >
                {row + 1}
              </th>
              {columns.map((at) => (
                <td key={at} className={classes(CELL, chosen(at) ?? 'text-ink-2')}>
                  <bdi>{cut(showControls(line[at - 1] ?? ''), CELL_MAX)}</bdi>
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

/**
 * `columns`: no name says which of several columns holds the codes or addresses. `first-line`: the first line of the one
 * column is no known name. `blanks`: some rows have a code and others have none. `ignored`: a column that would be ignored
 * looks like a missing field. `dates`: the day `example` can be read in two ways.
 */
export type StaffQuestion =
  | { about: 'columns' | 'first-line'; lines: string[][] }
  | { about: 'blanks'; codes: number; blanks: number }
  | { about: 'ignored'; names: string[] }
  | { about: 'dates'; example: string };

const SHOWN_LINES = 5;
/** While a large file is read, the page handles other events after this time. */
const SLICE_MS = 30;

/**
 * Returns the question about the columns of the file; null if there is none, or if the server refuses the file.
 * @throws CsvLimitError if the beginning of the file is beyond the limits of a line.
 */
export function askColumns(kind: CsvKind, text: string, known: CsvOptions = {}): StaffQuestion | null {
  if (kind === 'products') return null;
  try {
    const layout = findLayout(kind, text, known);
    if (layout === null || layout.header) return null;
    const lines = firstLines(text, layout);
    const isAddress = kind === 'users' && email.safeParse(lines[0]?.[0]).success;
    return isAddress ? null : { about: 'first-line', lines };
  } catch (error) {
    assertRefused(error);
    return error.unknown ? askUnknown(text, error.unknown) : null;
  }
}

/** Throws the error again, unless it means that the server refuses the file with a reason. */
function assertRefused(error: unknown): asserts error is CsvError {
  if (!(error instanceof CsvError) || error instanceof CsvLimitError) throw error;
}

type Start = Pick<NonNullable<ReturnType<typeof findLayout>>, 'delimiter' | 'start'>;

function askUnknown(text: string, start: Start): StaffQuestion | null {
  try {
    return { about: 'columns', lines: firstLines(text, start) };
  } catch (error) {
    if (error instanceof CsvLimitError) throw error;
    return null;
  }
}

function firstLines(text: string, { delimiter, start }: Start): string[][] {
  const lines: string[][] = [];
  for (const line of splitLines(text, delimiter, start)) {
    if (!isBlankLine(line)) lines.push(line.cells.map((cell) => cell.trim()));
    if (lines.length === SHOWN_LINES) break;
  }
  return lines;
}

/**
 * Returns the question about rows without a code. Returns null if all rows have a code, if none has, or if the server
 * refuses the file.
 * @throws CsvLimitError if a line is beyond the limits.
 */
export async function askBlanks(text: string, options: CsvOptions): Promise<StaffQuestion | null> {
  let [codes, blanks] = [0, 0];
  const isRead = await readColumn('coupon_code', text, options, (cell) => {
    if (cell === '') blanks += 1;
    else codes += 1;
  });
  return isRead && codes > 0 && blanks > 0 ? { about: 'blanks', codes, blanks } : null;
}

/** Returns null if the last days of a file of codes can be read in one way only. */
export async function askDates(text: string, options: CsvOptions): Promise<StaffQuestion | null> {
  const order = createDayOrder();
  const isRead = await readColumn('use_by', text, options, order.add);
  const example = order.first();
  return isRead && order.decide() === 'doubtful' && example !== null ? { about: 'dates', example } : null;
}

/** Returns the question about the columns that would be ignored; null if none of them looks like a missing field. */
export function askIgnored(kind: CsvKind, text: string, options: CsvOptions): StaffQuestion | null {
  try {
    const layout = findLayout(kind, text, options);
    const columns = layout === null ? [] : listIgnored(kind, text, layout);
    const isMissed = columns.some((column) => column.isMissed);
    return isMissed ? { about: 'ignored', names: columns.map(({ name }) => name) } : null;
  } catch (error) {
    assertRefused(error);
    return null;
  }
}

type ReadCell = (cell: string) => void;

/**
 * Reads the cells of one field of a file of codes. Returns false if the file has no such column or cannot be read.
 * @throws CsvLimitError if a line is beyond the limits.
 */
async function readColumn(
  field: string,
  text: string,
  options: CsvOptions,
  read: ReadCell,
): Promise<boolean> {
  let sliceMs = Date.now();
  try {
    const layout = findLayout('coupons', text, options);
    const at = layout?.fields.indexOf(field) ?? -1;
    if (layout === null || at === -1) return false;
    const readRecord = createRecordReader(text, layout);
    for (const line of splitLines(text, layout.delimiter, layout.start)) {
      if (Date.now() - sliceMs > SLICE_MS) {
        await new Promise((resolve) => setTimeout(resolve));
        sliceMs = Date.now();
      }
      const record = readRecord(line);
      if (record !== null) read(readCell(record.cells[at] ?? ''));
    }
  } catch (error) {
    assertRefused(error);
    return false;
  }
  return true;
}

/**
 * Returns `known` with the answers of staff. Null if staff do not want to import the file. `known` is what is known about
 * the layout of the text.
 */
export async function askStaff(
  upload: ShownUpload,
  text: string,
  known: CsvOptions,
): Promise<CsvOptions | null> {
  const { kind, checking } = upload.job;
  const columns = askColumns(kind, text, known);
  const chosen = columns ? await ask(upload, columns) : {};
  if (chosen === null) return null;
  const options = { ...known, ...chosen };
  // A check imports nothing yet, and its card names the ignored columns.
  const ignored = checking ? null : askIgnored(kind, text, options);
  if (ignored && (await ask(upload, ignored)) === null) return null;
  if (kind !== 'coupons') return options;
  const dates = await askDates(text, options);
  const order = dates ? await ask(upload, dates) : {};
  if (order === null) return null;
  const blanks = await askBlanks(text, options);
  const choice = blanks ? await ask(upload, blanks) : {};
  return choice && { ...options, ...order, ...choice };
}

function ask(upload: ShownUpload, question: StaffQuestion): Promise<CsvOptions | null> {
  return new Promise((answer) => uploads.show({ ...upload, question: { ...question, answer } }));
}

type QuestionDialogProps = { title: string; words: string; onCancel: () => void; children: ReactNode };

/** A question with a button for each answer. The buttons are the children. */
function QuestionDialog({ title, words, onCancel, children }: QuestionDialogProps) {
  const id = useId();
  return (
    <Dialog
      role="alertdialog"
      className="max-w-124"
      labelledBy={`${id}-title`}
      describedBy={`${id}-words`}
      onClose={onCancel}
    >
      <div className={DIALOG_PANEL}>
        <h2 id={`${id}-title`}>{title}</h2>
        <p id={`${id}-words`}>{words}</p>
        <div className={DIALOG_BUTTONS}>
          <Button look="ghost" onClick={onCancel}>
            {t('Cancel')}
          </Button>
          {children}
        </div>
      </div>
    </Dialog>
  );
}

/** R-IMP-15. */
function BlanksDialog({ fileName, question: { codes, blanks, answer } }: About<'blanks'>) {
  const safe = useRef<HTMLButtonElement>(null);
  useEffect(() => safe.current?.focus(), []);
  return (
    <QuestionDialog
      title={tCount(blanks, { one: '{count} row has no code.', other: '{count} rows have no code.' })}
      words={t('{file} also holds {codes}. The partner does not know codes that the portal generates.', {
        file: isolate(fileName),
        codes: tCount(codes, { one: '{count} code', other: '{count} codes' }),
      })}
      onCancel={() => answer(null)}
    >
      <Button onClick={() => answer({ blanks: 'generate' })}>
        {tCount(blanks, { one: 'Generate {count} code', other: 'Generate {count} codes' })}
      </Button>
      <Button ref={safe} look="primary" onClick={() => answer({ blanks: 'skip' })}>
        {t('Leave them out')}
      </Button>
    </QuestionDialog>
  );
}

/** Asks whether the day or the month comes first in the last days of a file of codes (R-MAP-23). */
function DatesDialog({ fileName, question: { example, answer } }: About<'example'>) {
  const choose = (dates: DayOrder) => (
    <Button onClick={() => answer({ dates })}>{formatDay(readDay(example, dates) ?? example)}</Button>
  );
  return (
    <QuestionDialog
      title={t('Which day is {day}?', { day: isolate(example) })}
      words={t('No day of {file} says whether the day or the month comes first.', {
        file: isolate(fileName),
      })}
      onCancel={() => answer(null)}
    >
      {choose('mdy')}
      {choose('dmy')}
    </QuestionDialog>
  );
}

/** Asks before a file is imported without a column that looks like a field that no column fills (R-MAP-22). */
function IgnoredDialog({ fileName, question: { names, answer } }: About<'names'>) {
  return (
    <ConfirmDialog
      title={t('Import without these columns?')}
      words={t('{file} has columns that the portal does not know: {names}. They would be ignored.', {
        file: isolate(fileName),
        names: nameColumns(names),
      })}
      confirm={t('Import without them')}
      onCancel={() => answer(null)}
      onConfirm={() => answer({})}
    />
  );
}
