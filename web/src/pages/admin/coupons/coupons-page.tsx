// The admin page for coupons: a form, the bulk upload and the list (R-ACPN-04 to R-ACPN-31).

import { createCoupon, importCoupons, listCoupons } from '@portal/contract';
import { useState } from 'react';
import { call } from '../../../api.ts';
import { Card } from '../../../ui/card.tsx';
import { CardBody } from '../../../ui/card-body.tsx';
import { Select } from '../../../ui/select.tsx';
import { say, sayAround } from '../../../words/say.ts';
import styles from '../admin.module.css';
import { CsvUpload } from '../imports/csv-upload.tsx';
import { ImportSummary } from '../imports/import-summary.tsx';
import { Notes } from '../imports/notes.tsx';
import { RefusedFile } from '../imports/refused-file.tsx';
import type { Upload } from '../imports/run-import.ts';
import { SampleButton } from '../imports/sample-button.tsx';
import { useImportRun } from '../imports/use-import-run.ts';
import { useNewRow } from '../lists/use-new-row.ts';
import { RoleGate } from '../role-gate.tsx';
import { useProductChoices } from '../use-product-choices.ts';
import { CouponForm } from './coupon-form.tsx';
import { CouponsTable } from './coupons-table.tsx';
import { FiguresCard } from './figures-card.tsx';

export function CouponsPage() {
  const { newRow, onSaved } = useNewRow();
  return (
    <>
      <RoleGate to={createCoupon}>
        <Card title={say('Add New Coupon')} className={styles.four}>
          <CardBody>
            <CouponForm onSaved={onSaved} />
          </CardBody>
        </Card>
      </RoleGate>
      <RoleGate to={importCoupons}>
        <BulkUpload />
      </RoleGate>
      <RoleGate to={listCoupons} otherwise={<FiguresCard />}>
        <CouponsTable newRow={newRow} />
      </RoleGate>
    </>
  );
}

function BulkUpload() {
  const run = useImportRun('coupons');
  return (
    <>
      <Card
        title={say('Bulk Upload Coupons')}
        className={styles.eight}
        action={<SampleButton kind="coupons" />}
      >
        <RefusedFile run={run} />
        <CardBody>
          <UploadForm />
        </CardBody>
      </Card>
      <ImportSummary run={run} />
    </>
  );
}

function UploadForm() {
  const { options, names } = useProductChoices();
  const [productId, setProductId] = useState('');
  const send = (upload: Upload) => call(importCoupons, { body: { ...upload, productId } });
  return (
    <div className={styles.halves}>
      <div className={styles.form}>
        <Notes>
          <li>
            <span>{sayAround('The CSV holds only {column}.', { column: <code>coupon_code</code> })}</span>
          </li>
          <li>
            <span>{say('Choose the product here; it applies to every coupon in the file.')}</span>
          </li>
          <li>
            <span>{say('Codes are auto-generated if left blank.')}</span>
          </li>
          <li>
            <span>
              {sayAround(
                'Beside it the file may hold {column}, the last day a code works, such as 2026-12-31.',
                { column: <code>use_by</code> },
              )}
            </span>
          </li>
        </Notes>
        <Select
          id="bulk-product"
          label={say('Select Product for Bulk Upload*')}
          required
          noStar
          prompt={say('Select a product')}
          options={options}
          value={productId}
          onChange={setProductId}
        />
      </div>
      <CsvUpload
        kind="coupons"
        hasProduct={productId !== ''}
        waiting={say('Select a product first')}
        hint={productId === '' ? say('then drop a .csv file here') : say('Only .csv files')}
        buttonWaits
        target={names.get(productId) ?? null}
        send={send}
      />
    </div>
  );
}
