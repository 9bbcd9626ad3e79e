// The page of one upload of codes. It shows how many of its codes are in each state, and the actions on the unused
// codes (R-LIFE-33).
import type { BatchRecord } from '@portal/contract';
import { getBatch, getImport, listAudit, voidBatch } from '@portal/contract';
import { useQuery } from '@tanstack/react-query';
import { isNotFound } from '../../../api-error.ts';
import { LoadError } from '../../../parts/load-error.tsx';
import { queryOf } from '../../../queries.ts';
import { StatusLine } from '../../../ui/status-line.tsx';
import { say } from '../../../words/say.ts';
import { AdminFrame } from '../admin-frame.tsx';
import { UPLOADS_PATH } from '../coupons/list-coupon-tabs.ts';
import { useJob } from '../jobs/use-job.ts';
import { Timeline } from '../log/timeline.tsx';
import { RoleGate } from '../role-gate.tsx';
import { ActCard } from './act-card.tsx';
import { BATCH_ACTS } from './batch-acts.ts';
import { UploadActs } from './upload-acts.tsx';
import { UploadFacts } from './upload-facts.tsx';
import { UploadFigures } from './upload-figures.tsx';
import { UploadFiles } from './upload-files.tsx';
import { fileNameOf } from './upload-words.ts';
import styles from './uploads.module.css';

type UploadPageProps = { id: string };

export function UploadPage({ id }: UploadPageProps) {
  const query = useQuery(queryOf(getBatch, { id }));
  const isMissing = isNotFound(query.error);
  const title = query.data ? fileNameOf(query.data) : isMissing ? say('Upload not found') : say('Upload');
  return (
    <AdminFrame title={title} back={{ href: UPLOADS_PATH, label: say('Uploads') }}>
      {query.data ? (
        <Upload upload={query.data} />
      ) : (
        <div className={styles.instead}>
          {query.isPending && <StatusLine>{say('Loading the upload...')}</StatusLine>}
          {isMissing && <p>{say('There is no upload at this address.')}</p>}
          {query.isError && !isMissing && (
            <LoadError
              words={say('We could not load the upload.')}
              busy={query.isFetching}
              onRetry={() => void query.refetch()}
            />
          )}
        </div>
      )}
    </AdminFrame>
  );
}

function Upload({ upload }: { upload: BatchRecord }) {
  const { job: act, isRunning, follow, dismiss } = useJob(BATCH_ACTS, upload.running_job);
  return (
    <>
      <ActCard act={act} onDismiss={dismiss} />
      <UploadFigures upload={upload} />
      <UploadFacts upload={upload} />
      <RoleGate to={voidBatch}>
        <UploadActs
          upload={upload}
          runningKind={isRunning ? (act?.kind ?? 'void') : null}
          onStarted={follow}
        />
      </RoleGate>
      <RoleGate to={getImport}>
        <UploadFiles importId={upload.import_id} />
      </RoleGate>
      <RoleGate to={listAudit}>
        <Timeline subject={{ batch_id: upload.id }} />
      </RoleGate>
    </>
  );
}
