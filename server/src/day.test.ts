// Tests the functions that convert a moment to its day in a time zone, check names of time zones, and format days.
import { expect, test } from 'vitest';
import { createDayOf, createTimeIn, formatDay, isTimeZone, startOfDay } from './day.ts';

test('C-4: today is the day in TIME_ZONE, whatever the zone of the machine', () => {
  const at = (zone: string, moment: string) => createDayOf(zone)(new Date(moment));
  expect(at('UTC', '2026-11-20T23:59:59.999Z')).toBe('2026-11-20');
  expect(at('Europe/Berlin', '2026-11-20T22:59:59.999Z')).toBe('2026-11-20');
  expect(at('Europe/Berlin', '2026-11-20T23:00:00.000Z')).toBe('2026-11-21');
  // In summer, Berlin is two hours ahead of UTC; in winter it is one hour.
  expect(at('Europe/Berlin', '2026-07-20T22:00:00.000Z')).toBe('2026-07-21');
  // The day on which summer time begins has 23 hours, the one on which it ends has 25.
  expect(at('Europe/Berlin', '2026-03-28T23:00:00.000Z')).toBe('2026-03-29');
  expect(at('Europe/Berlin', '2026-03-29T21:59:59.999Z')).toBe('2026-03-29');
  expect(at('Europe/Berlin', '2026-03-29T22:00:00.000Z')).toBe('2026-03-30');
  expect(at('Europe/Berlin', '2026-10-25T22:59:59.999Z')).toBe('2026-10-25');
  expect(at('Europe/Berlin', '2026-10-25T23:00:00.000Z')).toBe('2026-10-26');
  expect(at('Pacific/Kiritimati', '2026-12-31T10:00:00.000Z')).toBe('2027-01-01');
  expect(at('Etc/GMT+12', '2027-01-01T11:59:00.000Z')).toBe('2026-12-31');
  expect(at('Asia/Kathmandu', '2026-01-09T18:15:00.000Z')).toBe('2026-01-10');
});

test('C-4: a day begins at midnight in TIME_ZONE, also beside a change of the clocks', () => {
  const start = (day: string, zone: string, plusDays = 0) =>
    startOfDay(day, zone, { plusDays }).toISOString();
  expect(start('2026-11-20', 'UTC')).toBe('2026-11-20T00:00:00.000Z');
  expect(start('2026-03-29', 'Europe/Berlin')).toBe('2026-03-28T23:00:00.000Z');
  expect(start('2026-03-29', 'Europe/Berlin', 1)).toBe('2026-03-29T22:00:00.000Z');
  expect(start('2026-12-31', 'UTC', 1)).toBe('2027-01-01T00:00:00.000Z');
  // In Santiago the clocks skip the hour after midnight.
  expect(start('2026-09-06', 'America/Santiago')).toBe('2026-09-06T04:00:00.000Z');
});

test('R-MAP-40: times have the offset of the zone at that time, in any order of the times', () => {
  const berlin = createTimeIn('Europe/Berlin');
  const times = {
    '2026-07-01T00:00:00.000Z': '2026-07-01T02:00:00.000+02:00',
    '2026-12-31T23:30:00.007Z': '2027-01-01T00:30:00.007+01:00',
    // The last moment before clocks go back, and the moment at which they do.
    '2026-10-25T00:59:59.999Z': '2026-10-25T02:59:59.999+02:00',
    '2026-10-25T01:00:00.000Z': '2026-10-25T02:00:00.000+01:00',
    '2026-03-29T01:00:00.000Z': '2026-03-29T03:00:00.000+02:00',
  };
  expect(Object.keys(times).map(berlin)).toEqual(Object.values(times));
  expect(Object.keys(times).reverse().map(berlin)).toEqual(Object.values(times).reverse());
  // Kolkata has had one offset since 1945.
  expect(createTimeIn('Asia/Kolkata')('2026-07-01T00:00:00.000Z')).toBe('2026-07-01T05:30:00.000+05:30');
  expect(createTimeIn('UTC')('2026-07-01T00:00:00.000Z')).toBe('2026-07-01T00:00:00.000Z');
});

test('C-4: only names of time zones are accepted', () => {
  expect(['UTC', 'Europe/Berlin'].filter(isTimeZone)).toHaveLength(2);
  expect(['Atlantis/Center', 'Europe', '+02:00', '-0530'].filter(isTimeZone)).toEqual([]);
});

test('N-67: days in messages of the server', () => {
  expect(['2026-11-27', '2027-01-05', '2000-02-29', '2999-12-31'].map(formatDay)).toEqual([
    '27 Nov 2026',
    '5 Jan 2027',
    '29 Feb 2000',
    '31 Dec 2999',
  ]);
});
