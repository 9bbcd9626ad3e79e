// The button 'Download CSV' of a list (R-IMP-23). With several choices of rows, it opens a menu. Each choice says how
// many rows the file will hold.
import { ChevronDown, Download, FileDown } from 'lucide-react';
import { ActMenu } from '../../../ui/act-menu.tsx';
import { Button } from '../../../ui/button.tsx';
import { Icon } from '../../../ui/icon.tsx';
import { say } from '../../../words/say.ts';
import { useDownload } from './use-download.ts';

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
