// Button that downloads all lines that match the filters, as CSV (R-TRAIL-05).

import { exportAudit } from '@portal/contract';
import { Download } from 'lucide-react';
import { Button } from '../../../ui/button.tsx';
import { Icon } from '../../../ui/icon.tsx';
import { say } from '../../../words/say.ts';
import { useDownload } from '../exports/use-download.ts';

/** `filters` are the parameters of the API call. */
export function DownloadLog({ filters }: { filters: Record<string, string> }) {
  const { busy, download } = useDownload();
  const query = new URLSearchParams(filters).toString();
  const address = query ? `${exportAudit.path}?${query}` : exportAudit.path;
  return (
    <Button size="sm" busy={busy} onClick={() => void download('activity.csv', address)}>
      {!busy && <Icon of={Download} size={16} />}
      {say('Download CSV')}
    </Button>
  );
}
