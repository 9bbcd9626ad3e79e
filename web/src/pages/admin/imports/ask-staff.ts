// Asks staff what the file of an upload does not say.
import type { CsvOptions } from '@portal/contract';
import { askBlanks, askColumns, type FileQuestion } from './file-questions.ts';
import { type ImportRun, importRuns } from './import-runs.ts';

/** Returns what staff say about the file; {} if there is nothing to ask. Null if staff do not want to import it. */
export async function askStaff(run: ImportRun, text: string): Promise<CsvOptions | null> {
  const columns = askColumns(run.kind, text);
  const options = columns ? await ask(run, columns) : {};
  if (options === null || run.kind !== 'coupons') return options;
  const blanks = await askBlanks(text, options);
  const choice = blanks ? await ask(run, blanks) : {};
  return choice && { ...options, ...choice };
}

function ask(run: ImportRun, question: FileQuestion): Promise<CsvOptions | null> {
  return new Promise((answer) =>
    importRuns.start({ ...run, state: 'asking', question: { ...question, answer } }),
  );
}
