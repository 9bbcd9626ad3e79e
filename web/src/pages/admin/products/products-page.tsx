// The admin page for products: a form, the bulk upload and the list (R-APROD).
import { createProduct, importProducts } from '@portal/contract';
import { call } from '../../../api.ts';
import { Card } from '../../../ui/card.tsx';
import { CardBody } from '../../../ui/card-body.tsx';
import { say, sayAround } from '../../../words/say.ts';
import styles from '../admin.module.css';
import { ColumnNotes } from '../imports/column-notes.tsx';
import { CsvUpload } from '../imports/csv-upload.tsx';
import { ImportSummary } from '../imports/import-summary.tsx';
import { RecentUploads } from '../imports/recent-uploads.tsx';
import { RefusedFile } from '../imports/refused-file.tsx';
import type { Upload } from '../imports/run-import.ts';
import { SampleButton } from '../imports/sample-button.tsx';
import { useImportRun } from '../imports/use-import-run.ts';
import { useNewRow } from '../lists/use-new-row.ts';
import { RoleGate } from '../role-gate.tsx';
import { ProductForm } from './product-form.tsx';
import { ProductsTable } from './products-table.tsx';

export function ProductsPage() {
  const { newRow, onSaved } = useNewRow();
  return (
    <>
      <RoleGate to={createProduct}>
        <Card title={say('Add New Product')} className={styles.seven}>
          <CardBody>
            <ProductForm onSaved={onSaved} />
          </CardBody>
        </Card>
      </RoleGate>
      <RoleGate to={importProducts}>
        <BulkUpload />
      </RoleGate>
      <ProductsTable newRow={newRow} />
      <RoleGate to={importProducts}>
        <RecentUploads kind="products" />
      </RoleGate>
    </>
  );
}

function BulkUpload() {
  const run = useImportRun('products');
  return (
    <>
      <Card
        title={say('Bulk Upload Products')}
        className={styles.five}
        action={<SampleButton kind="products" />}
      >
        <RefusedFile run={run} />
        <CardBody className={styles.form}>
          <ColumnNotes kind="products">
            <li>
              <span>{sayAround('{column} may be left empty.', { column: <code>instructions</code> })}</span>
            </li>
            <li>
              <span>{say('Product ids are created for you.')}</span>
            </li>
          </ColumnNotes>
          <CsvUpload kind="products" hasProduct hint={say('Only .csv files')} target={null} send={send} />
        </CardBody>
      </Card>
      <ImportSummary run={run} />
    </>
  );
}

function send(upload: Upload) {
  return call(importProducts, { body: upload });
}
