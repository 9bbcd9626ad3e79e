// Card with the result of the import of an upload, and its files: failed rows, duplicates and generated codes (R-IMP-16).
// The list of uploads puts the id of the import into the URL.
import { useQuery } from '@tanstack/react-query';
import { useSearch } from 'wouter';
import { getImport } from '../../../admin-calls.ts';
import { queryOf } from '../../../queries.ts';
import { Card } from '../../../ui/card.tsx';
import { CardBody } from '../../../ui/card-body.tsx';
import { sayNumber } from '../../../words/format.ts';
import { say } from '../../../words/say.ts';
import { Fact, Facts } from '../facts.tsx';
import { sayDifference } from '../imports/check-words.ts';
import { FileButton } from '../imports/file-button.tsx';
import styles from '../imports/imports.module.css';
import { sayGenerated, tallyOf } from '../imports/result-words.ts';
import { IMPORT } from './upload-list.tsx';

export function UploadFiles() {
  const id = new URLSearchParams(useSearch()).get(IMPORT);
  const { data } = useQuery({ ...queryOf(getImport, { id: id ?? '' }), enabled: id !== null });
  if (data?.kind !== 'coupons' || !data.results) return null;
  const { kind, results, preview } = data;
  const difference = data.state === 'done' ? sayDifference(preview, results.success) : null;
  return (
    <Card title={say('Imported rows')}>
      <CardBody className={styles.form}>
        <Facts>
          {tallyOf(kind, results).map(({ label, count }) => (
            <Fact key={label} label={label}>
              {sayNumber(count)}
            </Fact>
          ))}
        </Facts>
        {difference && <p className={styles.hint}>{difference}</p>}
        {results.generated > 0 && <p className={styles.hint}>{sayGenerated(results.generated)}</p>}
        <div className={styles.foot}>
          {results.failures > 0 && <FileButton id={data.id} kind={kind} file="failed_rows" />}
          {results.duplicates > 0 && <FileButton id={data.id} kind={kind} file="duplicates" />}
          {results.generated > 0 && <FileButton id={data.id} kind={kind} file="generated" />}
        </div>
      </CardBody>
    </Card>
  );
}
