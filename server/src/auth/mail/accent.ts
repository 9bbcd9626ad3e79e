// The provider's accent in the one notation that every mail client reads, and the ink that is legible on it.
import { readColour } from '@portal/contract/palette';
import { wcagContrast } from 'culori';

const INK = '#101714';
// WCAG 2.2, 1.4.3.
const LEAST_CONTRAST = 4.5;

export type MailColours = { fill: string; onFill: string };

/** Colours for a button in a mail; what is no colour gives way to ink. */
export function chooseMailColours(accent: string): MailColours {
  const fill = readColour(accent) ?? INK;
  return { fill, onFill: wcagContrast(fill, '#ffffff') >= LEAST_CONTRAST ? '#ffffff' : INK };
}
