// The provider's accent in the one notation that every mail client reads, and the ink that is legible on it.
import { chooseInk, readColour } from '@portal/contract/palette';

const INK = '#101714';

export type MailColours = { fill: string; onFill: string };

/** Colours for a button in a mail; what is no colour gives way to ink. */
export function chooseMailColours(accent: string): MailColours {
  const fill = readColour(accent) ?? INK;
  return { fill, onFill: chooseInk(fill, INK) };
}
