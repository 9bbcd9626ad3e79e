// Asks staff about a file before it is sent (R-IMP-14, R-IMP-15, R-MAP-20, R-MAP-22, R-MAP-23, N-37).
import type { CsvKind, CsvOptions, DayOrder } from '@portal/contract';
import {
  createDayOrder,
  createRecordReader,
  email,
  findLayout,
  readCell,
  readDay,
  splitLines,
} from '@portal/contract';
import { type ReactNode, useEffect, useId, useRef } from 'react';
import { Button } from '../../ui/button.tsx';
import { DIALOG_BUTTONS, DIALOG_PANEL } from '../../ui/confirm-dialog.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { isolate } from '../../ui/text.tsx';
import { t, tCount } from '../../words/translate.ts';
import { formatDay } from '../time.ts';
import type { FileText, ReadChoices } from './file-text.ts';
import { type Question, type ShownUpload, type UploadSource, uploads } from './follow.ts';
import { ANSWERS, Lines, MapCard, QuestionCard } from './map-columns.tsx';
import { assertRefused, type Mapping, readMapping } from './mapping.ts';
import { formatFile } from './words.ts';

const FIELD = { users: 'email', coupons: 'coupon_code', products: 'name' };

export function FileQuestion({ shown, question }: { shown: ShownUpload; question: Question }) {
  const { job, source } = shown;
  const fileName = formatFile(job);
  if (question.about === 'blanks') return <BlanksDialog fileName={fileName} question={question} />;
  if (question.about === 'dates') return <DatesDialog fileName={fileName} question={question} />;
  if (question.about === 'first-line')
    return <FirstLineCard kind={job.kind} fileName={fileName} question={question} source={source} />;
  // The next file has another `key`, so React forgets what the user chose for this file.
  return (
    <MapCard
      key={job.id}
      kind={job.kind}
      fileName={fileName}
      mapping={question.mapping}
      source={source}
      answer={question.answer}
    />
  );
}

/** Props of a component that shows the question with the field `Field`. */
type About<Field extends string> = { fileName: string; question: Extract<Question, Record<Field, unknown>> };

type FirstLineProps = About<'lines'> & { kind: CsvKind; source: UploadSource | null };

function FirstLineCard({ kind, fileName, question: { lines, answer }, source }: FirstLineProps) {
  const use = (header: boolean) => answer({ columns: { [FIELD[kind]]: 1 }, header });
  return (
    <QuestionCard
      fileName={fileName}
      title={kind === 'users' ? t('Is the first line an address?') : t('Is the first line a code?')}
    >
      <Lines lines={lines} />
      <div className={ANSWERS}>
        <Button look="primary" onClick={() => use(false)}>
          {kind === 'users' ? t('It is an address') : t('It is a code')}
        </Button>
        <Button onClick={() => use(true)}>{t('It is the name of the column')}</Button>
        {/* The first line may be a title of a table with another separator. */}
        <Button onClick={() => void source?.again({ asks: true })}>{t('Change columns')}</Button>
        <Button look="ghost" onClick={() => answer(null)}>
          {t('Discard')}
        </Button>
      </div>
    </QuestionCard>
  );
}

/**
 * `map`: the columns are unknown or doubtful. `first-line`: the first line of the one column is no known name. `blanks`:
 * some rows have a code and others have none. `dates`: the day `example` can be read in two ways.
 */
export type StaffQuestion =
  | { about: 'map'; mapping: Mapping }
  | { about: 'first-line'; lines: string[][] }
  | { about: 'blanks'; codes: number; blanks: number }
  | { about: 'dates'; example: string };

/** While a large file is read, the page handles other events after this time. */
const SLICE_MS = 30;

/**
 * Returns the question about the columns of the file; null if there is none, or if the server refuses the file.
 * `asks` is true if staff want to choose the columns, `imports` if the file is imported without a check.
 * @throws CsvLimitError if the beginning of the file is beyond the limits of a line.
 */
export function askColumns(
  kind: CsvKind,
  text: string,
  known: CsvOptions = {},
  { asks = false, imports = false } = {},
): StaffQuestion | null {
  const mapping = readMapping(kind, text, known);
  if (mapping === null) return null;
  const { why, header, lines } = mapping;
  const isOneColumn = lines.every((line) => line.slice(1).every((cell) => cell === ''));
  if (!header && isOneColumn && !asks) {
    const isAddress = kind === 'users' && email.safeParse(lines[0]?.[0]).success;
    return isAddress ? null : { about: 'first-line', lines };
  }
  // The server refuses a file of products without a required column, and names it (R-ERR-09).
  const isAsked = kind !== 'products' && (why === 'unknown' || why === 'repeated');
  const isDoubtful = isAsked || (why === 'ignored' && imports);
  return asks || isDoubtful ? { about: 'map', mapping } : null;
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
 * Returns what is known about the layout of the text, with the answers of staff. Null if staff do not want to import the
 * file.
 */
export async function askStaff(
  upload: ShownUpload,
  { text, options: known }: Pick<FileText, 'text' | 'options'>,
  { asks }: ReadChoices,
): Promise<CsvOptions | null> {
  const { kind, checking } = upload.job;
  // A check imports nothing yet, and its card names the ignored columns.
  const columns = askColumns(kind, text, known, { asks, imports: !checking });
  const chosen = columns ? await ask(upload, columns) : {};
  if (chosen === null) return null;
  const options = { ...known, ...chosen };
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
