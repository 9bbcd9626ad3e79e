// Upload control for a CSV file. The file is chosen by click, by keyboard, or by drag and drop.
import type { CsvKind } from '@portal/contract';
import { FileCheck, FileUp, Upload as UploadIcon } from 'lucide-react';
import { type DragEvent, type Ref, useEffect, useRef, useState } from 'react';
import { getSessionState } from '../../../auth.ts';
import { Button } from '../../../ui/button.tsx';
import { Icon } from '../../../ui/icon.tsx';
import { showToast } from '../../../ui/toast-store.ts';
import { say } from '../../../words/say.ts';
import { CancelJob } from '../jobs/cancel-job.tsx';
import { tellRefused } from './follow-import.ts';
import { ImportProgress } from './import-progress.tsx';
import type { ImportRun } from './import-runs.ts';
import { ImportStatus } from './import-status.tsx';
import styles from './imports.module.css';
import { runImport, type Upload } from './run-import.ts';
import { refuseUpload } from './upload-checks.ts';
import { useImportRun } from './use-import-run.ts';

/**
 * Value of the attribute `accept` of the file input. For products and users, the value includes the MIME type, so that
 * the file dialog also offers CSV files with another extension (R-VAL-13). For coupons, the value is only the extension
 * (R-VAL-32).
 */
const ACCEPT = { products: '.csv,text/csv', users: '.csv,text/csv', coupons: '.csv' };

/** Returns the id of the file input. Other components click this input, so that the browser opens its file dialog. */
export const fileInputId = (kind: CsvKind) => `${kind}-file`;

type CsvUploadProps = {
  kind: CsvKind;
  /** True if the user has selected the product or products for the rows, or if the rows need no product. */
  hasProduct: boolean;
  /** Text in the drop area while no product is selected. */
  waiting?: string;
  hint: string;
  /** If true, the button 'Select CSV File' is disabled until a product is selected (R-ACPN-21). */
  buttonWaits?: boolean;
  target: string | null;
  send: (upload: Upload) => ReturnType<Parameters<typeof runImport>[0]['send']>;
};

export function CsvUpload({ kind, hasProduct, waiting, hint, buttonWaits, target, send }: CsvUploadProps) {
  const run = useImportRun(kind);
  const [reading, setReading] = useState<'import' | 'check' | null>(null);
  const [over, setOver] = useState(false);
  const input = useRef<HTMLInputElement>(null);
  const inputId = fileInputId(kind);
  useRefusedDrops();
  // True while the file dialog was opened by the button that only checks the file.
  const isCheck = useRef(false);
  const busy = run
    ? run.state === 'running' || (reading !== null && run.state !== 'asking')
    : reading !== null;

  const take = async (file: File | undefined) => {
    const checks = isCheck.current;
    isCheck.current = false;
    if (!file || busy) return;
    const signedIn = getSessionState().status === 'signed-in';
    const refusal = refuseUpload({ kind, hasProduct, file, signedIn });
    if (refusal) return tellRefused(kind, file.name, refusal);
    setReading(checks ? 'check' : 'import');
    await runImport({ kind, file, isCheck: checks, target, send });
    setReading(null);
  };
  const drop = (event: DragEvent) => {
    event.preventDefault();
    setOver(false);
    void take(event.dataTransfer.files[0]);
  };
  const dragOver = (event: DragEvent) => {
    event.preventDefault();
    setOver(hasProduct);
  };
  const choose = (checks: boolean) => {
    isCheck.current = checks;
    input.current?.click();
  };
  const waits = (buttonWaits && !hasProduct && !busy) ?? false;
  const uploads = busy && !(run?.state === 'running' ? run.checking : reading === 'check');
  return (
    <div className={styles.form}>
      {run?.state === 'running' ? (
        <ImportProgress run={run} />
      ) : (
        <label
          htmlFor={inputId}
          className={styles.drop}
          data-over={over ? '' : undefined}
          data-waits={hasProduct ? undefined : ''}
          onDragOver={dragOver}
          onDragLeave={() => setOver(false)}
          onDrop={drop}
        >
          <Icon of={FileUp} size={24} />
          <strong>{hasProduct ? say('Drop a CSV file here') : waiting}</strong>
          <span>{hint}</span>
          <FileInput
            ref={input}
            id={inputId}
            accept={ACCEPT[kind]}
            onFile={(file) => void take(file)}
            onCancel={() => {
              isCheck.current = false;
            }}
            // If no product is selected, an error is shown and the file dialog does not open.
            refuse={() => refuseUpload({ kind, hasProduct, file: NO_FILE_YET, signedIn: true })}
          />
        </label>
      )}
      <ImportStatus run={run} />
      <div className={styles.foot}>
        <Button busy={uploads} disabled={waits || (busy && !uploads)} onClick={() => choose(false)}>
          {!uploads && <Icon of={UploadIcon} size={16} />}
          {uploads ? say('Uploading...') : say('Select CSV File')}
        </Button>
        {!uploads && (
          <Button busy={busy} disabled={waits} onClick={() => choose(true)}>
            {!busy && <Icon of={FileCheck} size={16} />}
            {busy ? say('Checking...') : say('Check File First')}
          </Button>
        )}
        {run?.state === 'running' && run.rowsTotal > 0 && <CancelImport run={run} />}
        {busy && <span className={styles.hint}>{sayGoesOn(uploads)}</span>}
      </div>
    </div>
  );
}

function sayGoesOn(isImport: boolean): string {
  return isImport
    ? say('You can leave this page. The import goes on.')
    : say('You can leave this page. The check goes on.');
}

/** Shown only after the server has received the whole file, because before that there is no import to cancel. */
function CancelImport({ run: { id, checking } }: { run: ImportRun }) {
  const label = checking ? say('Cancel check') : say('Cancel import');
  return <CancelJob id={id} label={label} failed={say('Failed to cancel the import')} />;
}

/**
 * Prevents the drop of a file outside the drop area. Without this hook, the browser would open the dropped file and
 * leave the page.
 */
function useRefusedDrops(): void {
  useEffect(() => {
    const refuse = (event: globalThis.DragEvent) => {
      if (event.defaultPrevented || !event.dataTransfer?.types.includes('Files')) return;
      event.preventDefault();
      event.dataTransfer.dropEffect = 'none';
    };
    window.addEventListener('dragover', refuse);
    window.addEventListener('drop', refuse);
    return () => {
      window.removeEventListener('dragover', refuse);
      window.removeEventListener('drop', refuse);
    };
  }, []);
}

const NO_FILE_YET = { name: '.csv', type: 'text/csv', size: 0 };

type FileInputProps = {
  ref: Ref<HTMLInputElement>;
  id: string;
  accept: string;
  onFile: (file: File | undefined) => void;
  /** Called when the user closes the file dialog without a file. */
  onCancel: () => void;
  refuse: () => ReturnType<typeof refuseUpload>;
};

/** The native file input, which is not shown and not in the tab order. Keyboard users press the button next to it. */
function FileInput({ ref, id, accept, onFile, onCancel, refuse }: FileInputProps) {
  // React has no prop for the event `cancel` of a file input.
  useEffect(() => {
    const input = document.getElementById(id);
    input?.addEventListener('cancel', onCancel);
    return () => input?.removeEventListener('cancel', onCancel);
  });
  return (
    <input
      ref={ref}
      id={id}
      type="file"
      className="sr-only"
      tabIndex={-1}
      accept={accept}
      onClick={(event) => {
        const refusal = refuse();
        if (!refusal) return;
        event.preventDefault();
        showToast(refusal);
      }}
      onChange={(event) => {
        const [file] = event.target.files ?? [];
        // Clears the input, so that the same file can be selected again (R-ACPN-31).
        event.target.value = '';
        onFile(file);
      }}
    />
  );
}
