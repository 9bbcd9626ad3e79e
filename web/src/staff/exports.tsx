// Downloads of lists as CSV files and as workbooks of Excel. A script fetches the file, because a link cannot send the
// token of the session.
import { exportAudit } from '@portal/contract';
import { useQuery } from '@tanstack/react-query';
import { ChevronDown, Download, FileDown, FileSpreadsheet } from 'lucide-react';
import { type Call, readFile, readPage } from '../api.ts';
import { Button } from '../ui/button.tsx';
import { Icon } from '../ui/icon.tsx';
import { ActionMenu } from '../ui/menu.tsx';
import { t } from '../words/translate.ts';
import { useAction } from './action.tsx';

type DownloadListProps = {
  /** Name of the file. */
  name: string;
  list: Call;
  exportCall: Call;
  /** The active filters and the search, by their names in the calls. */
  filters: Record<string, string>;
  /** The active filters and the search in words. */
  selected: readonly string[];
  /** Number of rows that `filters` select; undefined if `exportCall` lacks one of them, such as the search. */
  total: number | undefined;
  /** True if `filters` select more rows than `total`. */
  isMore?: boolean;
  /** Returns the label for a number of rows. */
  formatRows: (count: number, isMore: boolean) => string;
  /** Describes the rows of the unfiltered list. */
  whole: string;
};

/** The button that downloads the rows that the filters select, or all (R-IMP-23). */
export function DownloadList({ list, exportCall, filters, selected, total, ...props }: DownloadListProps) {
  const { name, isMore = false, formatRows, whole } = props;
  const isAll = selected.length === 0 && total !== undefined;
  const unfiltered = useSmallestPage(list.path, !isAll)?.total;
  const count = isAll ? total : unfiltered;
  // No button until both numbers are known: a button with only one choice downloads the file without a menu.
  if (count === undefined) return null;
  const choices: Choice[] = [];
  if (!isAll && total)
    choices.push({
      label: formatRows(total, isMore),
      hint: selected.join(', '),
      address: `${exportCall.path}?${new URLSearchParams(filters)}`,
    });
  if (count > 0) choices.push({ label: formatRows(count, false), hint: whole, address: exportCall.path });
  return <DownloadButton name={name} choices={choices} />;
}

/** `label` has the number of rows, `hint` says which rows, `address` is the call with its filters. */
type Choice = { label: string; hint: string; address: string };

type DownloadButtonProps = { name: string; choices: readonly Choice[]; look?: 'outline' | 'ghost' };

const EXCEL = 'Excel (.xlsx)';

/** With several choices, the button opens a menu. Without a choice there is no button. */
export function DownloadButton({ name, choices, look = 'outline' }: DownloadButtonProps) {
  const { busy, download } = useDownload();
  const [only] = choices;
  if (!only) return null;
  const label = busy ? t('Preparing...') : t('Download CSV');
  const excel = choices.map(({ label, hint, address }) => ({
    ...{ label, hint, icon: FileSpreadsheet },
    // The path is the same but for its ending (N-305).
    onChoose: () => void download(name.replace(/\.csv$/, '.xlsx'), address.replace('.csv', '.xlsx')),
  }));
  if (choices.length === 1)
    return (
      <div className="flex gap-1">
        <Button
          size="sm"
          look={look}
          icon={Download}
          busy={busy}
          title={only.label}
          aria-label={busy ? undefined : `${t('Download CSV')}: ${only.label}`}
          onClick={() => void download(name, only.address)}
        >
          {label}
        </Button>
        <ActionMenu
          label={t('Download as an Excel file')}
          face={<Icon of={ChevronDown} size={16} />}
          groups={[excel]}
          headings={[EXCEL]}
          look={look}
          busy={busy}
        />
      </div>
    );
  const actions = choices.map(({ label, hint, address }) => ({
    ...{ label, hint, icon: FileDown },
    onChoose: () => void download(name, address),
  }));
  return (
    <ActionMenu
      busy={busy}
      face={
        <>
          {!busy && <Icon of={Download} size={16} />}
          {label}
          {!busy && <Icon of={ChevronDown} size={16} />}
        </>
      }
      groups={[actions, excel]}
      headings={['CSV', EXCEL]}
      foot={t('CSV for Excel and others. Noted in the log with the number of rows.')}
    />
  );
}

/** Downloads all lines of the log that match `filters`, the parameters of the call (R-TRAIL-05). */
export function DownloadLog({ filters }: { filters: Record<string, string> }) {
  const { busy, download } = useDownload();
  const query = new URLSearchParams(filters).toString();
  const address = query ? `${exportAudit.path}?${query}` : exportAudit.path;
  return (
    <Button size="sm" icon={Download} busy={busy} onClick={() => void download('activity.csv', address)}>
      <span className="max-md:sr-only">{t('Download CSV')}</span>
    </Button>
  );
}

/** `download` saves the file of a GET call as `name`; nothing is saved if the connection is cut (R-IMP-21). */
export function useDownload() {
  const { run, busy } = useAction({
    send: async ([name, address]: [name: string, address: string]) => saveFile(name, await readFile(address)),
    failed: t('The file did not arrive whole. Try again.'),
  });
  return { busy, download: (name: string, address: string) => run([name, address]) };
}

/** Returns the first row and the number of rows of the unfiltered list. Undefined until loaded, or if not `enabled`. */
export function useSmallestPage<Row>(path: string, enabled: boolean) {
  const address = `${path}?limit=1`;
  const { data } = useQuery({ queryKey: [address], queryFn: () => readPage<Row>(address), enabled });
  return enabled ? data : undefined;
}

/** Delay before the object URL of a saved file is revoked: by then, the browser has read the file. */
const FETCH_MS = 10_000;

export function saveFile(name: string, file: Blob): void {
  const url = URL.createObjectURL(file);
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), FETCH_MS);
}
