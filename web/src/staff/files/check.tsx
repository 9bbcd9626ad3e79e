// Shows what a check of a file has found, in the place where the result of the import will be (R-IMP-04, R-IMP-06).
import type { CsvKind, FoundColumns, ImportPreview, ImportSample } from '@portal/contract';
import { TriangleAlert } from 'lucide-react';
import { useId, useState } from 'react';
import { useLocation } from 'wouter';
import { Button } from '../../ui/button.tsx';
import { Notice } from '../../ui/notice.tsx';
import { type Column, cutWords, DataTable } from '../../ui/table.tsx';
import { isolate } from '../../ui/text.tsx';
import { sayNumber } from '../../words/format.ts';
import { say, sayCount } from '../../words/say.ts';
import { COHORTS_PATH } from '../nouns/cohort.tsx';
import {
  Counts,
  FailedRows,
  FileButton,
  FileLine,
  RowsHead,
  UploadCard,
  useNewsFocus,
} from './failed-rows.tsx';
import { discardChecked, type ShownUpload, startChecked } from './follow.ts';
import {
  changesAnything,
  listPreviewRows,
  sayCaseOnly,
  sayElsewhere,
  sayFile,
  sayIgnored,
  sayImport,
  sayNoNames,
  sayNothingNew,
} from './words.ts';

export function CheckCard({ shown }: { shown: ShownUpload }) {
  const titleId = useId();
  const { job, target } = shown;
  const { kind, preview, errors, errors_count, found, ignored, sample } = job;
  const title = useNewsFocus(shown);
  if (!preview) return null;
  const rows = sayCount(preview.total, { one: '{count} row', other: '{count} rows' });
  const noNames = sayNoNames(kind, found);
  const ignoredWords = sayIgnored(ignored);
  return (
    <UploadCard
      titleId={titleId}
      rows={
        <>
          <RowsHead title={say('First rows')}>
            {ignoredWords && <span className="wrap-anywhere">{ignoredWords}</span>}
          </RowsHead>
          <FirstRows sample={sample ?? []} found={found} />
          {errors.length > 0 && (
            <>
              <RowsHead title={say('Failed rows')}>
                <FileButton id={job.id} kind={kind} file="failed_rows" />
              </RowsHead>
              <FailedRows kind={kind} errors={errors} count={errors_count} />
            </>
          )}
        </>
      }
    >
      <div>
        <h2 ref={title} id={titleId} tabIndex={-1} className="text-lg">
          {say('Nothing was imported yet.')}
        </h2>
        <FileLine fileName={sayFile(job)}>
          {target ? say('{rows} for {target}', { rows, target: isolate(target) }) : rows}
        </FileLine>
      </div>
      {[...sayElsewhere(preview), ...sayCaseOnly(preview)].map((words) => (
        <Notice key={words} icon={TriangleAlert} warning>
          {words}
        </Notice>
      ))}
      {noNames && <p className="text-sm text-ink-3">{noNames}</p>}
      <Counts rows={listPreviewRows(preview)} />
      <Choice shown={shown} preview={preview} />
    </UploadCard>
  );
}

function Choice({ shown, preview }: { shown: ShownUpload; preview: ImportPreview }) {
  const offId = useId();
  const [busy, setBusy] = useState(false);
  const [path] = useLocation();
  const { kind } = shown.job;
  const isOff = !changesAnything(preview);
  const discard = async () => {
    setBusy(true);
    await discardChecked(shown);
  };
  return (
    <>
      <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
        <Button
          look="primary"
          disabled={isOff || busy}
          aria-describedby={isOff ? offId : undefined}
          onClick={() => startChecked(shown)}
        >
          {sayImport(kind, preview)}
        </Button>
        <Button busy={busy} onClick={() => void discard()}>
          {say('Discard')}
        </Button>
      </div>
      <p id={offId} className="text-sm text-ink-3">
        {isOff ? sayNothingNew(kind) : sayKept(kind, path)}
      </p>
    </>
  );
}

/** Says in which list the file is. Only Products and Users have the card `Recent uploads` (N-104). */
function sayKept(kind: CsvKind, path: string): string {
  if (kind === 'coupons') return say('Kept for 24 hours under Uploads.');
  return path.startsWith(`${COHORTS_PATH}/`)
    ? say('Kept for 24 hours under Recent uploads on the Users page.')
    : say('Kept for 24 hours under Recent uploads.');
}

type SampleRow = { row: number; cells: ImportSample[number] };

function FirstRows({ sample, found }: { sample: ImportSample; found: FoundColumns | null }) {
  const columns: Column<SampleRow>[] = [
    { label: say('Row'), as: 'end', words: ({ row }) => ({ text: sayNumber(row) }), labelOnPhones: true },
    ...listFields(sample, found).map(
      ({ field, label }, at): Column<SampleRow> => ({
        label,
        as: at === 0 ? 'strong' : 'line',
        mono: field === 'coupon_code',
        labelOnPhones: at > 0,
        words: ({ cells }) => {
          const text = cells[field]?.replaceAll(/\p{Cc}/gu, '\uFFFD') || '-';
          // A code is not cut, so that all of it can be selected (R-FIND-02).
          return field === 'coupon_code' ? { text } : cutWords(text, 40);
        },
        draw: ({ cells }, { text }) =>
          field === 'coupon_code' && cells[field] ? (
            <span className="select-all">{text}</span>
          ) : (
            <bdi>{text}</bdi>
          ),
        awayOnPhones: ({ cells }) => at > 0 && !cells[field],
      }),
    ),
  ];
  const rows = sample.map((cells, at) => ({ row: at + 1, cells }));
  const keyOf = ({ row }: SampleRow) => `${row}`;
  return <DataTable plain caption={say('First rows')} columns={columns} rows={rows} keyOf={keyOf} />;
}

function listFields(sample: ImportSample, found: FoundColumns | null): { field: string; label: string }[] {
  if (found === null) return Object.keys(sample[0] ?? {}).map((field) => ({ field, label: field }));
  const fields = new Map<string, string>();
  for (const { name, field } of found.columns) {
    // The first and the last name are shown together.
    const shown = field === 'first_name' || field === 'last_name' ? 'name' : field;
    if (shown === null || fields.has(shown)) continue;
    const isSame = name === null || shown !== field || name.toLowerCase() === shown;
    fields.set(shown, isSame ? shown : `${name} (${shown})`);
  }
  return Array.from(fields, ([field, label]) => ({ field, label }));
}
