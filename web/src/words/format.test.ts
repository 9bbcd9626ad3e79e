import { afterEach, expect, test } from 'vitest';
import { daysLeft, formatDay, isSoon, setCurrentLocale } from './format.ts';

// Test files of a process share the locale.
afterEach(() => setCurrentLocale({ language: 'en', locale: 'en', catalogue: null }));

test('R-LIFE-36: a day keeps its date in every time zone, and the year is left out only in the current year', () => {
  setCurrentLocale({ language: 'en', locale: 'en-GB', catalogue: null });
  const now = new Date('2026-12-01T12:00:00');
  expect(formatDay('2026-11-14', now)).toBe('14 Nov');
  expect(formatDay('2026-11-14T12:00:00Z', now)).toBe('14 Nov');
  expect(formatDay('2025-11-14', now)).toBe('14 Nov 2025');
  expect(formatDay('2026-11-14')).toBe('14 Nov 2026');
  expect(formatDay('2026-11-14', undefined, 'de')).toBe('14. Nov. 2026');
});

test.each(['2026-11-20T00:00:00', '2026-11-20T12:00:00', '2026-11-20T23:59:59'])(
  'R-LIFE-36: at %s the last day of a code is counted in whole days, the day itself included',
  (time) => {
    const now = new Date(time);
    expect(['2026-11-18', '2026-11-19', '2026-11-20', '2026-11-21'].map((day) => daysLeft(day, now))).toEqual(
      [-2, -1, 0, 1],
    );
    expect(isSoon('2026-11-27', now)).toBe(true);
    expect(isSoon('2026-11-28', now)).toBe(false);
  },
);
