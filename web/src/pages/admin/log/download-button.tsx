// Button that downloads all lines that match the filters, as CSV (R-TRAIL-05).
import { Download } from 'lucide-react';
import { useState } from 'react';
import { readText } from '../../../admin-api.ts';
import { exportAudit } from '../../../admin-calls.ts';
import { Button } from '../../../ui/button.tsx';
import { Icon } from '../../../ui/icon.tsx';
import { say } from '../../../words/say.ts';
import { saveFile } from '../imports/save-file.ts';
import { tellRefusal } from '../refusal-toast.ts';

/** `filters` are the parameters of the API call. */
export function DownloadButton({ filters }: { filters: Record<string, string> }) {
  const [busy, setBusy] = useState(false);
  const download = async () => {
    setBusy(true);
    try {
      const query = new URLSearchParams(filters).toString();
      saveFile('activity.csv', await readText(query ? `${exportAudit.path}?${query}` : exportAudit.path));
    } catch (error) {
      tellRefusal(error, say('Failed to download the log'));
    } finally {
      setBusy(false);
    }
  };
  return (
    <Button size="sm" busy={busy} onClick={() => void download()}>
      {!busy && <Icon of={Download} size={16} />}
      {say('Download CSV')}
    </Button>
  );
}
