// Downloads a CSV file that the server writes. A link cannot send the token of the session, so a script fetches the file.
import { useState } from 'react';
import { readFile } from '../../../admin-api.ts';
import { say } from '../../../words/say.ts';
import { saveFile } from '../imports/save-file.ts';
import { tellRefusal } from '../refusal-toast.ts';

/**
 * Returns a function that downloads the file of a GET call as `name`, and whether it is running. If the connection is cut
 * before the end, no file is saved, and a toast says so (R-IMP-21).
 */
export function useDownload() {
  const [busy, setBusy] = useState(false);
  const download = async (name: string, address: string) => {
    setBusy(true);
    try {
      saveFile(name, await readFile(address));
    } catch (error) {
      tellRefusal(error, say('The file did not arrive whole. Try again.'));
    } finally {
      setBusy(false);
    }
  };
  return { busy, download };
}
