// The button that downloads the people of the list as CSV (R-IMP-23): those that the filters select, and all.
import { exportUsers, listUsers } from '@portal/contract';
import { sayNumber } from '../../../words/format.ts';
import { say, sayCount } from '../../../words/say.ts';
import { type Choice, DownloadButton } from '../exports/download-button.tsx';
import { useTotal } from '../exports/use-total.ts';

type DownloadPeopleProps = {
  /** The filters and the search that are set, by their names in the call. */
  filters: Record<string, string>;
  /** What they select, in words. */
  selected: readonly string[];
  /** Number of people that they select; `isMore` if there are more. */
  total: number;
  isMore: boolean;
};

export function DownloadPeople({ filters, selected, total, isMore }: DownloadPeopleProps) {
  const isAll = selected.length === 0;
  const all = useTotal(listUsers.path, !isAll);
  const count = isAll ? total : all;
  // Until both numbers are known there is no button: with one choice, a press would download at once.
  if (count === undefined) return null;
  const choices: Choice[] = [];
  if (!isAll && total > 0)
    choices.push({
      label: isMore
        ? say('Download more than {count} people', { count: sayNumber(total) })
        : sayPeople(total),
      hint: selected.join(', '),
      address: `${exportUsers.path}?${new URLSearchParams(filters)}`,
    });
  if (count) choices.push({ label: sayPeople(count), hint: say('Everybody'), address: exportUsers.path });
  return <DownloadButton name="people.csv" choices={choices} />;
}

function sayPeople(count: number): string {
  return sayCount(count, { one: 'Download {count} person', other: 'Download {count} people' });
}
