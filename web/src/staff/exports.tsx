// The button 'Download CSV' of a list (R-IMP-23). With several choices of rows, it opens a menu. Each choice says how
// many rows the file will hold.

import { exportAudit } from '@portal/contract';
import { useQuery } from '@tanstack/react-query';
import { ChevronDown, Download, FileDown } from 'lucide-react';
import { readFile, readPage } from '../api.ts';
import { Button } from '../ui/button.tsx';
import { Icon } from '../ui/icon.tsx';
import { ActMenu } from '../ui/menu.tsx';
import { say } from '../words/say.ts';
import { useAction } from './action.tsx';

/** `label` names the rows and their number. `hint` says which rows they are. `address` is the call with its filters. */
export type Choice = { label: string; hint: string; address: string };

type DownloadButtonProps = { name: string; choices: readonly Choice[]; look?: 'outline' | 'ghost' };

/** `name` is the name of the file. Without a choice there is no button. */
export function DownloadButton({ name, choices, look = 'outline' }: DownloadButtonProps) {
  const { busy, download } = useDownload();
  const [only] = choices;
  if (!only) return null;
  const face = busy ? (
    say('Preparing...')
  ) : (
    <>
      <Icon of={Download} size={16} />
      {say('Download CSV')}
    </>
  );
  if (choices.length === 1)
    return (
      <Button
        size="sm"
        look={look}
        busy={busy}
        title={only.label}
        aria-label={busy ? undefined : `${say('Download CSV')}: ${only.label}`}
        onClick={() => void download(name, only.address)}
      >
        {face}
      </Button>
    );
  const acts = choices.map(({ label, hint, address }) => ({
    ...{ label, hint, icon: FileDown },
    onChoose: () => void download(name, address),
  }));
  return (
    <ActMenu
      label={say('Download CSV')}
      busy={busy}
      face={
        <>
          {face}
          {!busy && <Icon of={ChevronDown} size={16} />}
        </>
      }
      groups={[acts]}
      foot={say('CSV for Excel and others. Noted in the log with the number of rows.')}
    />
  );
}

// Downloads a CSV file that the server writes. A link cannot send the token of the session, so a script fetches the file.

/**
 * Returns a function that downloads the file of a GET call as `name`, and whether it is running. If the connection is cut
 * before the end, no file is saved, and a toast says so (R-IMP-21).
 */
export function useDownload() {
  const { run, busy } = useAction({
    send: async ([name, address]: [name: string, address: string]) => saveFile(name, await readFile(address)),
    failed: say('The file did not arrive whole. Try again.'),
  });
  return { busy, download: (name: string, address: string) => run([name, address]) };
}

// The number of rows of a list without a filter, and one of the rows. One request, whichever of both is asked for.

/** Returns the number of rows of the list `path` without a filter; undefined until it is known, or if `enabled` is false. */
export function useTotal(path: string, enabled: boolean): number | undefined {
  return useSmallestPage(path, enabled)?.total;
}

/** Returns a row of the list `path` without a filter; undefined as with `useTotal`, or if the list is empty. */
export function useAnyRow<Row>(path: string, enabled: boolean): Row | undefined {
  return useSmallestPage<Row>(path, enabled)?.rows[0];
}

function useSmallestPage<Row>(path: string, enabled: boolean) {
  const address = `${path}?limit=1`;
  const { data } = useQuery({ queryKey: [address], queryFn: () => readPage<Row>(address), enabled });
  return enabled ? data : undefined;
}

// Saves a file to the user's disk.

/** Delay before the object URL of the file is revoked. The delay gives the browser enough time to read the file. */
const FETCH_MS = 10_000;

/** Saves the file with this name. */
export function saveFile(name: string, file: Blob): void {
  const url = URL.createObjectURL(file);
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), FETCH_MS);
}

// Button that downloads all lines that match the filters, as CSV (R-TRAIL-05).

/** `filters` are the parameters of the API call. */
export function DownloadLog({ filters }: { filters: Record<string, string> }) {
  const { busy, download } = useDownload();
  const query = new URLSearchParams(filters).toString();
  const address = query ? `${exportAudit.path}?${query}` : exportAudit.path;
  return (
    <Button size="sm" icon={Download} busy={busy} onClick={() => void download('activity.csv', address)}>
      {say('Download CSV')}
    </Button>
  );
}
