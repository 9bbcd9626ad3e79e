import { expect, test } from 'vitest';
import { readServedFrom } from './served.ts';

const read = readServedFrom({
  'Too late': 'Zu spät',
  '{name} must be at most {max} characters (sic)': '{name} darf höchstens {max} Zeichen haben',
  'It failed: {reason}': 'Fehlgeschlagen: {reason}',
});

test.each([
  ['Too late', 'Zu spät'],
  ['email must be at most 255 characters (sic)', 'email darf höchstens 255 Zeichen haben'],
  ['It failed: Too late', 'Fehlgeschlagen: Zu spät'],
  ['It failed:', undefined],
])('the server’s text is translated, and so are the values in it: %s becomes %s', (english, german) => {
  expect(read(english)).toBe(german);
});
