// The upload of people who join a cohort (R-COHORT-14). It is the upload of the Users page without a choice of products.
import { type CohortName, csvKinds, importUsers } from '@portal/contract';
import { call } from '../../../api.ts';
import { Card } from '../../../ui/card.tsx';
import { CardBody } from '../../../ui/card-body.tsx';
import { say } from '../../../words/say.ts';
import admin from '../admin.module.css';
import { CsvUpload } from '../imports/csv-upload.tsx';
import { ImportSummary } from '../imports/import-summary.tsx';
import { RefusedFile } from '../imports/refused-file.tsx';
import type { Upload } from '../imports/run-import.ts';
import { SampleButton } from '../imports/sample-button.tsx';
import { useTell } from '../imports/tell-tick.tsx';
import { useImportRun } from '../imports/use-import-run.ts';

export function MembersUpload({ cohort: { cohort_id, name } }: { cohort: CohortName }) {
  const run = useImportRun('users');
  const columns = [...csvKinds.users.required, ...csvKinds.users.optional].join(', ');
  const tell = useTell(say('One mail to each person who gets a product they did not have.'));
  const send = (upload: Upload) => call(importUsers, { body: { ...upload, ...tell.body, cohort_id } });
  return (
    <>
      <Card title={say('Bulk Upload Users')} className={admin.six} action={<SampleButton kind="users" />}>
        <RefusedFile run={run} />
        <CardBody className={admin.form}>
          {tell.tick}
          <CsvUpload
            kind="users"
            hasProduct
            hint={say('Columns: {columns}', { columns })}
            target={name}
            send={send}
          />
        </CardBody>
      </Card>
      <ImportSummary run={run} />
    </>
  );
}
