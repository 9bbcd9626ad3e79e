// What stands below an upload: a question about a file that was not sent yet, the result of a check, or the summary of an
// import.
import { CheckCard } from './check-card.tsx';
import { FileQuestion } from './file-question.tsx';
import type { ImportRun } from './import-runs.ts';
import { Summary } from './summary.tsx';

export function Outcome({ run }: { run: ImportRun }) {
  if (run.state === 'asking') return <FileQuestion run={run} />;
  if (run.state === 'checked') return <CheckCard key={run.id} run={run} />;
  return run.results ? <Summary key={run.id} run={run} /> : null;
}
