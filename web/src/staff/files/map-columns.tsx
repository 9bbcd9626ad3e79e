// The step in which staff choose the columns of a file, and how it is read (R-MAP-20).
import { type CsvField, type CsvKind, type CsvOptions, csvFieldOf, type Separator } from '@portal/contract';
import { type ReactNode, useEffect, useId, useRef, useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { classes } from '../../ui/dom.ts';
import { Check, COMPACT_INPUT, NativeSelect } from '../../ui/field.tsx';
import { cut, isolate } from '../../ui/text.tsx';
import { t } from '../../words/translate.ts';
import type { UploadSource } from './follow.ts';
import { listFields, listRequired, type Mapping, toOptions } from './mapping.ts';
import { Choose, EncodingSelect, SheetSelect } from './read-as.tsx';
import { FileLine, showControls } from './result.tsx';
import { nameColumns } from './words.ts';

const CELL_MAX = 40;
/** The largest number of lines that the select offers to skip. The API takes more. */
const SKIP_MAX = 20;
/** Classes of the buttons that answer a question. */
export const ANSWERS = 'flex flex-wrap items-center gap-x-3 gap-y-2';

type QuestionCardProps = { title: string; fileName: string; children: ReactNode };

/** A question about a file in the place of its result. The heading gets the focus. */
export function QuestionCard({ title, fileName, children }: QuestionCardProps) {
  const id = useId();
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus(), []);
  return (
    <section
      className="grid gap-4 min-w-0 pt-5 px-4.5 pb-6 bg-surface border border-line rounded-lg md:px-6"
      aria-labelledby={id}
    >
      <div>
        <h2 ref={heading} id={id} tabIndex={-1} className="text-lg">
          {title}
        </h2>
        <FileLine fileName={fileName}>{t('Nothing was imported yet.')}</FileLine>
      </div>
      {children}
    </section>
  );
}

type MapCardProps = {
  kind: CsvKind;
  fileName: string;
  mapping: Mapping;
  source: UploadSource | null;
  answer: (options: CsvOptions | null) => void;
};

export function MapCard({ kind, fileName, mapping, source, answer }: MapCardProps) {
  const { why, ignored, lines } = mapping;
  const [fields, setFields] = useState(mapping.fields);
  const [header, setHeader] = useState(mapping.header);
  const choose = (column: number, field: string) =>
    setFields(fields.map((each, at) => (at === column ? field || null : each)));
  const missing = listRequired(kind).find((field) => !fields.includes(field) && field !== 'name');
  const repeated = findRepeated(kind, fields, header ? (lines[0] ?? []) : []);
  return (
    <QuestionCard title={formatTitle(why, kind)} fileName={fileName}>
      {why === 'ignored' && (
        <p className="text-sm text-ink-2">
          {t('{file} has columns that the portal does not know: {names}. They would be ignored.', {
            file: isolate(fileName),
            names: nameColumns(ignored),
          })}
        </p>
      )}
      <Lines
        lines={lines}
        isChosen={(at) => fields[at] !== null}
        drawHead={(at) => (
          <NativeSelect
            aria-label={t('Meaning of column {column}', { column: `${at + 1}` })}
            className={COMPACT_INPUT}
            frame="min-w-36"
            value={fields[at] ?? ''}
            options={[
              { value: '', label: t('Ignore') },
              ...listFields(kind).map((field) => ({ value: field, label: formatField(field) })),
            ]}
            onChange={(field) => choose(at, field)}
          />
        )}
      />
      <Check label={t('The first line is column names')} value={header} onChange={setHeader} />
      {source && <Reading mapping={mapping} source={source} />}
      <div className={ANSWERS}>
        <Button
          look="primary"
          disabled={missing !== undefined || repeated !== undefined}
          onClick={() => answer(toOptions(kind, { ...mapping, fields, header }))}
        >
          {formatAnswer(missing, repeated)}
        </Button>
        {why === 'ignored' && <Button onClick={() => answer({})}>{t('Import without them')}</Button>}
        <Button look={why === 'ignored' ? 'ghost' : 'outline'} onClick={() => answer(null)}>
          {t('Discard')}
        </Button>
      </div>
    </QuestionCard>
  );
}

function formatAnswer(missing: CsvField | undefined, repeated: CsvField | undefined): string {
  if (missing !== undefined) return t('Choose a column');
  if (repeated !== undefined) return t('Two columns are {field}', { field: formatField(repeated) });
  return t('Use these columns');
}

/** Returns a field with several columns, unless the names of the columns say that all of them are phones (N-309). */
function findRepeated(
  kind: CsvKind,
  fields: readonly (CsvField | null)[],
  names: readonly string[],
): CsvField | undefined {
  return listFields(kind).find((field) => {
    const places = fields.flatMap((each, at) => (each === field ? [at] : []));
    if (places.length < 2) return false;
    const named = names.flatMap((name, at) => (csvFieldOf(kind, name) === field ? [at] : []));
    return field !== 'phone_number' || named.join() !== places.join();
  });
}

function formatTitle(why: Mapping['why'], kind: CsvKind): string {
  if (why === 'ignored') return t('Import without these columns?');
  if (why !== 'unknown') return t('What do the columns hold?');
  if (kind === 'products') return t('Which columns hold the products?');
  return kind === 'users' ? t('Which column holds the email addresses?') : t('Which column holds the codes?');
}

/** The fields of products are shown by their names in the file. */
function formatField(field: CsvField): string {
  const labels: Record<CsvField, string> = {
    coupon_code: t('Code'),
    use_by: t('Last day'),
    email: t('Email'),
    first_name: t('First name'),
    last_name: t('Last name'),
    phone_number: t('Phone'),
    payment_id: t('Payment id'),
  };
  return labels[field] ?? field;
}

/** How the file is read. A change reads the file again. */
function Reading({ mapping, source }: { mapping: Mapping; source: UploadSource }) {
  const { separator, skipped } = mapping;
  const { sheets, again } = source;
  const separators: Record<Separator, string> = {
    ',': t('Comma'),
    ';': t('Semicolon'),
    '\t': t('Tab'),
    '|': t('Vertical bar'),
    ':': t('Colon'),
  };
  const skips = Array.from({ length: Math.max(SKIP_MAX, skipped) + 1 }, (_skip, at) => ({
    value: `${at}`,
    label: formatSkip(at),
  }));
  return (
    <div className="flex flex-wrap items-center gap-x-5 gap-y-3">
      <SheetSelect source={source} more={{ asks: true }} />
      <EncodingSelect source={source} more={{ asks: true }} />
      {sheets.length === 0 && (
        <Choose
          label={t('Separator')}
          value={separator}
          options={Object.entries(separators).map(([value, label]) => ({ value, label }))}
          onChange={(value) => again({ separator: value as Separator, asks: true })}
        />
      )}
      <Choose
        label={t('Lines above')}
        value={`${skipped}`}
        options={skips}
        onChange={(value) => again({ skip_lines: Number(value), asks: true })}
      />
    </div>
  );
}

function formatSkip(count: number): string {
  if (count === 0) return t('Skip no lines');
  return count === 1 ? t('Skip the first line') : t('Skip the first {count} lines', { count });
}

type LinesProps = {
  lines: string[][];
  /** Returns the head of a column; its number if missing. Columns count from 0. */
  drawHead?: (column: number) => ReactNode;
  isChosen?: (column: number) => boolean;
};

const CELL = 'py-1.75 px-3 border-b border-line text-left whitespace-nowrap';

/** The first lines of the file. */
export function Lines({ lines, drawHead, isChosen = () => true }: LinesProps) {
  const columns = Array.from({ length: Math.max(...lines.map((line) => line.length)) }, (_, at) => at);
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
              <th key={at} scope="col" className={classes(CELL, 'font-medium bg-sunken')}>
                {drawHead ? drawHead(at) : t('Column {column}', { column: `${at + 1}` })}
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
                <td key={at} className={classes(CELL, isChosen(at) ? 'text-ink' : 'text-ink-3')}>
                  <bdi>{cut(showControls(line[at] ?? ''), CELL_MAX)}</bdi>
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
