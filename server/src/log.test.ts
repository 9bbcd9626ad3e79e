// Tests the lines of the log in a terminal.
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { formatForTerminal } from './log.ts';

test('R-DAY-53: a person reads time, level and message, the fields, and the stack of an error', () => {
  const lines: string[] = [];
  const log = pino({ level: 'info' }, { write: (line: string) => void lines.push(formatForTerminal(line)) });
  log.info('Server listening');
  log.warn({ took_ms: 900 }, 'slow statement');
  log.error(new Error('no space'), 'failed');
  expect(lines[0]).toMatch(/^\d\d:\d\d:\d\d info Server listening\n$/);
  expect(lines[1]).toMatch(/ warn slow statement {"took_ms":900}\n$/);
  expect(lines[2]).toMatch(/ error failed\nError: no space\n\s+at /);
});
