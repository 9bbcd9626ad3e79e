// The admin page for users: user access, a form, the bulk upload and the list (R-AUSER-01 to R-AUSER-15).
import { csvKinds, getUserAccess, importUsers, listUsers, saveUser } from '@portal/contract';
import { useState } from 'react';
import { Redirect } from 'wouter';
import { call } from '../../../api.ts';
import { Card } from '../../../ui/card.tsx';
import { CardBody } from '../../../ui/card-body.tsx';
import { MultiSelect } from '../../../ui/multi-select.tsx';
import { say } from '../../../words/say.ts';
import styles from '../admin.module.css';
import { COHORTS_PATH } from '../cohorts/cohort-path.ts';
import { CsvUpload } from '../imports/csv-upload.tsx';
import { ImportSummary } from '../imports/import-summary.tsx';
import { RecentUploads } from '../imports/recent-uploads.tsx';
import { RefusedFile } from '../imports/refused-file.tsx';
import type { Upload } from '../imports/run-import.ts';
import { SampleButton } from '../imports/sample-button.tsx';
import { useTell } from '../imports/tell-tick.tsx';
import { useImportRun } from '../imports/use-import-run.ts';
import { useNewRow } from '../lists/use-new-row.ts';
import { RoleGate } from '../role-gate.tsx';
import { useProductChoices } from '../use-product-choices.ts';
import { AccessCard } from './access-card.tsx';
import { sayChosen, sayProducts } from './say-products.ts';
import { UserForm } from './user-form.tsx';
import { UsersTable } from './users-table.tsx';

export function UsersPage() {
  const { newRow, onSaved } = useNewRow();
  return (
    <>
      <RoleGate to={getUserAccess}>
        <AccessCard />
      </RoleGate>
      <RoleGate to={saveUser}>
        <Card title={say('Add New User')} className={styles.six}>
          <CardBody>
            <UserForm onSaved={onSaved} />
          </CardBody>
        </Card>
      </RoleGate>
      <RoleGate to={importUsers}>
        <BulkUpload />
      </RoleGate>
      {/* For a viewer, the section has only the cohorts (R-TEAM-32). */}
      <RoleGate to={listUsers} otherwise={<Redirect to={COHORTS_PATH} replace />}>
        <UsersTable newRow={newRow} />
      </RoleGate>
      <RoleGate to={importUsers}>
        <RecentUploads kind="users" />
      </RoleGate>
    </>
  );
}

function BulkUpload() {
  const run = useImportRun('users');
  return (
    <>
      <Card title={say('Bulk Upload Users')} className={styles.six} action={<SampleButton kind="users" />}>
        <RefusedFile run={run} />
        <CardBody>
          <UploadForm />
        </CardBody>
      </Card>
      <ImportSummary run={run} />
    </>
  );
}

const COLUMNS = [...csvKinds.users.required, ...csvKinds.users.optional].join(', ');

function UploadForm() {
  const { options, names } = useProductChoices();
  const [chosen, setChosen] = useState<string[]>([]);
  const tell = useTell(say('One mail to each person who gets a product they did not have.'));
  const send = (upload: Upload) =>
    call(importUsers, { body: { ...upload, ...tell.body, product_ids: chosen } });
  const [only] = chosen;
  const target = chosen.length === 1 && only ? (names.get(only) ?? null) : sayProducts(chosen.length);
  return (
    <div className={styles.form}>
      <MultiSelect
        id="users-products"
        label={say('Products for all users in the file')}
        required
        prompt={say('Select products')}
        summary={sayChosen}
        options={options}
        value={chosen}
        onChange={setChosen}
      />
      {tell.tick}
      <CsvUpload
        kind="users"
        hasProduct={chosen.length > 0}
        waiting={say('Select products first')}
        hint={
          chosen.length > 0
            ? say('Columns: {columns}', { columns: COLUMNS })
            : say('then drop a .csv file with {columns}', { columns: COLUMNS })
        }
        target={target}
        send={send}
      />
    </div>
  );
}
