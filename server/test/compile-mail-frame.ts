// Compiles server/src/mail/frame.mjml, the frame of mails, with MJML, a package for development only.
import { readFile } from 'node:fs/promises';
import mjml2html from 'mjml';

export const FRAME_FILE = new URL('../src/mail/frame.html', import.meta.url);

export async function compileMailFrame(): Promise<string> {
  const source = await readFile(new URL('../src/mail/frame.mjml', import.meta.url), 'utf8');
  // Without `fonts: {}`, MJML links the font Roboto at Google.
  const { html } = await mjml2html(source, { validationLevel: 'strict', fonts: {}, keepComments: false });
  const lines = html.split('\n').map((line) => line.trim());
  return `${lines.filter((line) => line !== '').join('\n')}\n`;
}
