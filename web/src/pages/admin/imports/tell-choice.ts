// Keeps the last choice of whether people are told by mail what they get, in this browser (R-INV-01). Not in
// sign-in-path.ts, because learners load that file.
const TELL = 'tellByMail';

/** Returns the last choice; false if there is none, or the browser blocks storage. */
export function readTell(): boolean {
  try {
    return localStorage.getItem(TELL) !== null;
  } catch {
    return false;
  }
}

/** Stores the choice that `readTell` returns. Does nothing if the browser blocks storage. */
export function keepTell(tell: boolean): void {
  try {
    if (tell) localStorage.setItem(TELL, 'yes');
    else localStorage.removeItem(TELL);
  } catch {
    // The next page then begins with the choice 'no'.
  }
}
