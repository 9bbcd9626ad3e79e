// Chooses the button colours of mails, in the notation that every mail client supports.
import { chooseInk, readColour } from '@portal/contract/palette';

const INK = '#101714';

export type MailColours = { fill: string; onFill: string };

/** Returns the colours of a button. If `accent` is not a colour, the button is dark ink. */
export function chooseMailColours(accent: string): MailColours {
  const fill = readColour(accent) ?? INK;
  return { fill, onFill: chooseInk(fill, INK) };
}
