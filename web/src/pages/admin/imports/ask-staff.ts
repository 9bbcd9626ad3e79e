// Asks staff what the file of an upload does not say.
import type { CsvOptions } from '@portal/contract';
import { askBlanks, askColumns, askDates, askIgnored, type StaffQuestion } from './file-questions.ts';
import { type ImportRun, importRuns } from './import-runs.ts';

/** Returns what staff say about the file; {} if there is nothing to ask. Null if staff do not want to import it. */
export async function askStaff(run: ImportRun, text: string): Promise<CsvOptions | null> {
  const columns = askColumns(run.kind, text);
  const options = columns ? await ask(run, columns) : {};
  if (options === null) return null;
  // A check imports nothing yet, and its card names the ignored columns.
  const ignored = run.checking ? null : askIgnored(run.kind, text, options);
  if (ignored && (await ask(run, ignored)) === null) return null;
  if (run.kind !== 'coupons') return options;
  const dates = await askDates(text, options);
  const order = dates ? await ask(run, dates) : {};
  if (order === null) return null;
  const blanks = await askBlanks(text, options);
  const choice = blanks ? await ask(run, blanks) : {};
  return choice && { ...options, ...order, ...choice };
}

function ask(run: ImportRun, question: StaffQuestion): Promise<CsvOptions | null> {
  return new Promise((answer) =>
    importRuns.start({ ...run, state: 'asking', question: { ...question, answer } }),
  );
}
