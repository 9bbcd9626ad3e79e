// Imports or checks a file: reads it, asks what it does not say, sends it, and shows the result.
import { type CsvKind, CsvLimitError, type CsvOptions, decodeCsv, listImports } from '@portal/contract';
import { call } from '../../../api.ts';
import { showToast } from '../../../ui/toast-store.ts';
import { say, sayServed } from '../../../words/say.ts';
import { randomUuid } from '../random-uuid.ts';
import { askStaff } from './ask-staff.ts';
import { follow, tellRefused, type UploadReply, waitForEnd } from './follow-import.ts';
import { importRuns, NEW_RUN, runOf } from './import-runs.ts';
import { announceLarge, refuseFile, refuseText } from './upload-checks.ts';

/** Body of an import request. The function `send` of an `ImportOrder` adds the selected products. */
export type Upload = CsvOptions & { csvData: string; import_id: string; file_name: string; check?: true };

type ImportOrder = {
  kind: CsvKind;
  file: File;
  /** True if the rows are only checked (R-IMP-04). */
  isCheck: boolean;
  /**
   * Text after the number of rows in the summary: the name of the product to which the rows belong, or a text such as
   * '2 products'. Null if the summary names no product.
   */
  target: string | null;
  /** Makes the API call that imports the file. Rejects if the call fails. */
  send: (upload: Upload) => Promise<UploadReply>;
};

/**
 * Imports or checks a file that `refuseUpload` has accepted. Resolves after the result is shown. Never rejects: errors
 * are shown as toasts.
 */
export async function runImport({ kind, file, isCheck, target, send }: ImportOrder): Promise<void> {
  importRuns.get(kind)?.question?.answer(null);
  const csvData = await readText(file);
  if (csvData === null) {
    // The file could not be read as text (R-ERR-11).
    return tellRefused(kind, file.name, refuseFile(say('Error'), say('Failed to process CSV upload')));
  }
  const refusal = refuseText(csvData);
  if (refusal) return tellRefused(kind, file.name, refusal);

  const id = randomUuid();
  const fileName = file.name.slice(0, 255);
  const run = { ...NEW_RUN, id, kind, fileName, sizeBytes: file.size, target, checking: isCheck };
  const options = await askStaff(run, csvData).catch((error: unknown) => {
    if (error instanceof CsvLimitError) return error;
    throw error;
  });
  if (options instanceof CsvLimitError)
    return tellRefused(kind, file.name, refuseFile(say('Error'), sayServed(options.message)));
  if (options === null) {
    if (importRuns.get(kind)?.id === id) importRuns.remove(kind);
    return;
  }
  const large = announceLarge(kind, csvData);
  if (large) showToast(large);
  importRuns.start({ ...run, startedAtMs: Date.now() });
  const check = isCheck && ({ check: true } as const);
  await follow(id, kind, () => send({ csvData, import_id: id, file_name: fileName, ...options, ...check }));
}

/**
 * Shows the running import of this kind that the server reports. Does nothing if the page already shows an import of
 * this kind.
 */
export async function resumeImport(kind: CsvKind): Promise<void> {
  if (importRuns.get(kind)) return;
  const states = await call(listImports).catch(() => []);
  const running = states.find((state) => state.kind === kind && state.state === 'running');
  if (!running || importRuns.get(kind)) return;
  importRuns.start(runOf(running));
  await waitForEnd(running.id, kind, null);
}

/** Returns the text of the file, or null if the file cannot be read. */
async function readText(file: File): Promise<string | null> {
  try {
    return decodeCsv(new Uint8Array(await file.arrayBuffer()));
  } catch {
    return null;
  }
}
