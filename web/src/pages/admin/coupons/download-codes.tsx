// The button that downloads the codes of the list as CSV (R-IMP-23): those that the filters select, and all.
import { exportCodes, listCoupons } from '@portal/contract';
import { say, sayCount } from '../../../words/say.ts';
import { type Choice, DownloadButton } from '../exports/download-button.tsx';
import { useTotal } from '../exports/use-total.ts';

type DownloadCodesProps = {
  /** The filters that are set, by their names in the call. */
  filters: Record<string, string>;
  /** What the filters select, in words. */
  selected: readonly string[];
  /** Number of codes that the filters select; undefined during a search, which the export does not know. */
  total: number | undefined;
  /** True if codes are hidden from every role (N-82). */
  isMasked: boolean;
};

export function DownloadCodes({ filters, selected, total, isMasked }: DownloadCodesProps) {
  const isAll = selected.length === 0 && total !== undefined;
  const all = useTotal(listCoupons.path, !isAll);
  const count = isAll ? total : all;
  // Until both numbers are known there is no button: with one choice, a press would download at once.
  if (count === undefined) return null;
  const choices: Choice[] = [];
  if (!isAll && total)
    choices.push({
      label: sayCodes(total, isMasked),
      hint: selected.join(', '),
      address: `${exportCodes.path}?${new URLSearchParams(filters)}`,
    });
  if (count > 0)
    choices.push({
      label: sayCodes(count, isMasked),
      hint: say('All products, every status'),
      address: exportCodes.path,
    });
  return <DownloadButton name="codes.csv" choices={choices} />;
}

function sayCodes(count: number, isMasked: boolean): string {
  return isMasked
    ? sayCount(count, { one: 'Download {count} code (hints)', other: 'Download {count} codes (hints)' })
    : sayCount(count, { one: 'Download {count} code', other: 'Download {count} codes' });
}
