import type { PersonCoupon, PersonMail } from '@portal/contract';
import { expect, test } from 'vitest';
import { formatCodeStory, formatMailName, formatMailStory } from './record.tsx';

const TODAY = '2026-11-20';
const product = { product_id: 'p', name: 'Tarnquill' };
const coupon: PersonCoupon = {
  id: '1',
  product,
  hint: 'K5M7',
  state: 'held',
  unconfirmed: false,
  current: true,
  assigned_at: '2026-11-12T09:00:00.000Z',
  assigned_by: 'learner',
  use_by: null,
  replaced_at: null,
  revoked_at: null,
  revoked_by: null,
  revoke_reason: null,
};

const revoked = {
  state: 'revoked',
  current: false,
  use_by: '2026-12-31',
  revoked_at: '2026-11-18T10:04:31.000Z',
  revoked_by: 'ravi@team.example',
  revoke_reason: 'partner says used',
} as const;

test.each<[Partial<PersonCoupon>, string]>([
  [{}, 'Current code · Redeemed by the person'],
  [{ assigned_by: 'noor@team.example' }, 'Current code · Assigned by noor@team.example'],
  [{ use_by: '2026-11-20' }, 'Current code · Use by Nov 20, 2026 · Redeemed by the person'],
  [{ use_by: '2026-11-19' }, 'Current code · Last day was Nov 19, 2026 · Redeemed by the person'],
  [
    { current: false, replaced_at: '2026-11-18T10:04:31.000Z' },
    'Replaced Nov 18, 2026 · Redeemed by the person',
  ],
  [{ current: false }, 'Not the current code · Redeemed by the person'],
  [revoked, 'Nov 18, 2026, by ravi@team.example: partner says used · Redeemed by the person'],
  [{ ...revoked, revoked_by: null, revoke_reason: null }, 'Nov 18, 2026 · Redeemed by the person'],
])('R-TRAIL-06: %o is told as %s', (fields, words) => {
  expect(formatCodeStory({ ...coupon, ...fields }, TODAY)).toBe(words);
});

const mail: PersonMail = {
  kind: 'sign-in',
  product: null,
  state: 'sent',
  at: '2026-11-20T13:58:00.000Z',
  by: null,
  words: null,
};

test.each([
  ['sign-in', null, 'Sign-in email'],
  ['code', product, 'Your code for Tarnquill'],
  ['code', null, 'Code email'],
  ['ready', null, '‘Your benefits are ready’'],
  ['team', null, 'Invitation to the team'],
  ['stock', product, 'Low stock of Tarnquill'],
  ['stock', null, 'Low-stock email'],
  ['notice', null, 'Email to the owners'],
  ['a-newer-kind', null, 'Mail'],
])('N-74: a mail of the kind %s with the product %o is called %s', (kind, of, words) => {
  expect(formatMailName({ ...mail, kind, product: of })).toBe(words);
});

test('R-TRAIL-31: a mail has its time, who asked for it, and the words of the mail server as they came', () => {
  const time = 'Nov 20, 2026, 1:58 PM';
  const by = 'ravi@team.example';
  const words = '550 5.2.1 This mailbox is disabled';
  expect(formatMailStory(mail)).toBe(time);
  expect(formatMailStory({ ...mail, by })).toBe(`${time}, by ${by}`);
  expect(formatMailStory({ ...mail, words })).toBe(`${time}: ${words}`);
  // R-DAY-38: a queued mail says when it goes out.
  const queued = { ...mail, state: 'queued' as const, due_at: '2999-01-01T12:00:00.000Z' };
  expect(formatMailStory(queued)).toBe(`${time}. Goes out Jan 1, 2999, 12:00 PM.`);
  expect(formatMailStory({ ...queued, due_at: mail.at })).toBe(time);
  expect(formatMailStory({ ...mail, by, words })).toBe(`${time}, by ${by}: ${words}`);
});
