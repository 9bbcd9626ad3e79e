// Names those who gave again what an upload had given, in the dialogs that ask before an upload is taken back.
import type { UndoPreview } from '@portal/contract';
import { isolate } from '../../../ui/isolate.ts';
import { sayNumber } from '../../../words/format.ts';
import { say } from '../../../words/say.ts';

/** Returns the files, each with its number, such as 'autumn.csv (2), by hand (1)'. */
export function listGivers(later: UndoPreview['later']): string {
  return later
    .map(({ import_id, file_name, count }) => {
      const name = import_id === null ? say('by hand') : isolate(file_name ?? say('No file name'));
      return `${name} (${sayNumber(count)})`;
    })
    .join(', ');
}
