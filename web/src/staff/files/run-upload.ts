// Reads a chosen file, asks staff about it if needed, and sends it.
import type { CsvKind, CsvOptions } from '@portal/contract';
import { CsvLimitError, discardImport, FILE_NAME_MAX } from '@portal/contract';
import { call } from '../../api.ts';
import { showToast } from '../../ui/toast-store.ts';
import { t, tServed } from '../../words/translate.ts';
import { type ReadChoices, readFileText } from './file-text.ts';
import { follow, newJob, newUpload, toastRefused, uploads } from './follow.ts';
import { askStaff } from './questions.tsx';
import { announceLarge, refuseFile, refuseText } from './words.ts';

/** Body of an import request, without the products of its rows. */
export type Upload = CsvOptions & { csvData: string; import_id: string; file_name: string; check?: true };

export type ImportOrder = {
  kind: CsvKind;
  file: File;
  /** True if the rows are only checked (R-IMP-04). */
  isCheck: boolean;
  target: string | null;
  send: (upload: Upload) => Promise<unknown>;
};

/**
 * Imports or checks a file that `refuseUpload` has accepted: asks staff if needed, sends it, and follows its job. Does not
 * wait for the job. Never rejects: errors are shown as toasts.
 */
export async function runImport(order: ImportOrder, choices: ReadChoices = {}): Promise<void> {
  const { kind, file, isCheck, target, send } = order;
  uploads.get(kind)?.question?.answer(null);
  const read = await readFileText(file, choices).catch(() => null);
  // The file could not be read as text (R-ERR-11).
  if (read === null)
    return toastRefused(kind, file.name, refuseFile(t('Error'), t('Failed to process CSV upload')));
  if (read instanceof Error)
    return toastRefused(kind, file.name, refuseFile(t('Invalid file type'), read.message));
  const refusal = refuseText(read.text);
  if (refusal) return toastRefused(kind, file.name, refusal);

  const file_name = file.name.slice(0, FILE_NAME_MAX);
  const job = newJob(kind, file_name, isCheck);
  let isSent = false;
  const again = async (changed: ReadChoices) => {
    // If this fails, the server removes the checked file after 24 hours.
    if (isSent) await call(discardImport, { params: { id: job.id } }).catch(() => undefined);
    await runImport(order, { ...choices, ...changed });
  };
  const source = { ...read, text: '', again };
  const upload = { ...newUpload(job), sizeBytes: file.size, target, source };
  const options = await askStaff(upload, read, choices).catch((error: unknown) => {
    if (error instanceof CsvLimitError) return error;
    throw error;
  });
  if (options instanceof CsvLimitError)
    return toastRefused(kind, file.name, refuseFile(t('Error'), tServed(options.message)));
  if (options === null) return uploads.hide(job);
  const large = announceLarge(kind, read.text);
  if (large) showToast(large);
  uploads.show({ ...upload, startedAtMs: Date.now() });
  const check = isCheck && ({ check: true } as const);
  isSent = true;
  follow(job, () => send({ csvData: read.text, import_id: job.id, file_name, ...options, ...check }));
}
