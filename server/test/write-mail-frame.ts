// Writes server/src/mail/frame.html: the frame of mails, compiled from frame.mjml.
import { writeFile } from 'node:fs/promises';
import { compileMailFrame, FRAME_FILE } from './compile-mail-frame.ts';

await writeFile(FRAME_FILE, await compileMailFrame());
