// Button that downloads a CSV file of an upload, for example its failed rows.
import type { CsvKind } from '@portal/contract';
import { getImportDuplicates, getImportErrors, getImportGenerated } from '@portal/contract';
import { Download } from 'lucide-react';
import { pathOf } from '../../../calls.ts';
import { Button } from '../../../ui/button.tsx';
import { Icon } from '../../../ui/icon.tsx';
import { say } from '../../../words/say.ts';
import { useDownload } from '../exports/use-download.ts';

const FILES = {
  failed_rows: { of: getImportErrors, label: () => say('Download failed rows (CSV)') },
  duplicates: { of: getImportDuplicates, label: () => say('Download duplicates') },
  generated: { of: getImportGenerated, label: () => say('Download generated codes') },
};

export function FileButton({ id, kind, file }: { id: string; kind: CsvKind; file: keyof typeof FILES }) {
  const { busy, download } = useDownload();
  const { of, label } = FILES[file];
  const start = () => void download(`${kind}_${file}.csv`, pathOf(of, { id }));
  return (
    <Button size="sm" busy={busy} onClick={start}>
      {!busy && <Icon of={Download} size={16} />}
      {label()}
    </Button>
  );
}
