// Button that downloads a sample CSV file for an upload (R-APROD-06, R-AUSER-06, R-ACPN-12, R-ACPN-13).
import { type CsvKind, csvKinds } from '@portal/contract';
import { Download } from 'lucide-react';
import { Button } from '../../../ui/button.tsx';
import { Icon } from '../../../ui/icon.tsx';
import { say } from '../../../words/say.ts';
import { saveFile } from './save-file.ts';

export function SampleButton({ kind }: { kind: CsvKind }) {
  const { name, text } = csvKinds[kind].sample;
  return (
    <Button size="sm" look="ghost" onClick={() => saveFile(name, new Blob([text], { type: 'text/csv' }))}>
      <Icon of={Download} size={16} />
      {say('Download Sample CSV')}
    </Button>
  );
}
