// Chooses the button colours of mails. Returns hex colours, because every mail client supports them.
import { chooseInk, readColour } from '@portal/contract/palette';

const INK = '#101714';

export type MailColours = { fill: string; onFill: string };

/** Returns the background and text colours of a button. If `accent` is not a colour, the background is almost black. */
export function chooseMailColours(accent: string): MailColours {
  const fill = readColour(accent) ?? INK;
  return { fill, onFill: chooseInk(fill, INK) };
}
