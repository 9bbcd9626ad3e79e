// Card with the result of the import of an upload, and its files: failed rows, duplicates and generated codes (R-IMP-16).

import { getImport } from '@portal/contract';
import { useQuery } from '@tanstack/react-query';
import { useLocation } from 'wouter';
import { queryOf } from '../../../queries.ts';
import { Card } from '../../../ui/card.tsx';
import { CardBody } from '../../../ui/card-body.tsx';
import { focusMain } from '../../../ui/focus-main.ts';
import { sayNumber } from '../../../words/format.ts';
import { say } from '../../../words/say.ts';
import { CODES_PATH } from '../coupons/list-coupon-tabs.ts';
import { Fact, Facts } from '../facts.tsx';
import { sayDifference, sayIgnored, sayNoNames } from '../imports/check-words.ts';
import { FailedActs } from '../imports/failed-acts.tsx';
import { FileButton } from '../imports/file-button.tsx';
import { runOf } from '../imports/import-runs.ts';
import styles from '../imports/imports.module.css';
import { openUpload } from '../imports/open-upload.ts';
import { sayGenerated, sayStopped, tallyOf } from '../imports/result-words.ts';

/** `importId` is the import of the upload; null if its codes came without a file. */
export function UploadFiles({ importId }: { importId: string | null }) {
  const { data } = useQuery({ ...queryOf(getImport, { id: importId ?? '' }), enabled: importId !== null });
  const [, navigate] = useLocation();
  if (data?.kind !== 'coupons' || !data.results) return null;
  const { kind, results, preview, found, ignored } = data;
  const hints = [
    sayStopped(runOf(data)),
    data.state === 'done' ? sayDifference(preview, results.success) : null,
    sayNoNames(kind, found),
    sayIgnored(ignored),
    results.generated > 0 ? sayGenerated(results.generated) : null,
  ].filter((hint) => hint !== null);
  const showProgress = () => {
    void openUpload(data);
    navigate(CODES_PATH);
  };
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
        {hints.map((hint) => (
          <p key={hint} className={styles.hint}>
            {hint}
          </p>
        ))}
        <div className={styles.foot}>
          {results.failures > 0 && <FileButton id={data.id} kind={kind} file="failed_rows" />}
          {results.duplicates > 0 && <FileButton id={data.id} kind={kind} file="duplicates" />}
          {results.generated > 0 && <FileButton id={data.id} kind={kind} file="generated" />}
          {data.state === 'failed' && (
            <FailedActs state={data} onRetried={showProgress} onCancelled={focusMain} />
          )}
        </div>
      </CardBody>
    </Card>
  );
}
