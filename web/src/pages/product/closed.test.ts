import type { MyProduct, Product } from '@portal/contract';
import { expect, test } from 'vitest';
import { closedByRefusal, closedByStatus, closedForLearner, sayClosed } from './closed.ts';

const DAY = '2026-12-01';

test.each([
  ['product_not_open', 'Not open yet', 'Redeeming opens on 1 Dec 2026.', true, 'From 1 Dec 2026'],
  [
    'access_not_started',
    'Not yet yours',
    'Your access to this benefit begins on 1 Dec 2026.',
    true,
    'From 1 Dec 2026',
  ],
  [
    'product_paused',
    'Paused',
    'This benefit is paused for the moment. Please try again later.',
    true,
    undefined,
  ],
  [
    'product_ended',
    'This offer has ended',
    'Codes of this benefit are no longer handed out.',
    undefined,
    undefined,
  ],
  [
    'access_ended',
    'Your access has ended',
    'Your access to this benefit ended on 1 Dec 2026. Please write to us at help@a.example',
    undefined,
    undefined,
  ],
  [
    'code_revoked',
    'Code withdrawn',
    'Your code of this benefit was withdrawn. Please write to us at help@a.example',
    undefined,
    undefined,
  ],
])('R-LIFE-36: the refusal %s is a state of the ticket', (code, title, message, mayCome, from) => {
  const closed = closedByRefusal(code, DAY);
  expect(closed && sayClosed(closed, 'en-GB', 'help@a.example')).toEqual({ title, message, mayCome, from });
});

test.each(['no_coupon_left', 'product_not_assigned', 'product_not_found', undefined])(
  'R-LIFE-36: the refusal %s is none',
  (code) => expect(closedByRefusal(code, DAY)).toBeUndefined(),
);

test.each([
  ['live', undefined],
  ['scheduled', { kind: 'closed', reason: 'product_not_open', day: DAY }],
  ['paused', { kind: 'closed', reason: 'product_paused' }],
  ['ended', { kind: 'closed', reason: 'product_ended' }],
  ['archived', { kind: 'closed', reason: 'product_ended' }],
] as const)('N-101: a visitor sees the state of a product that is %s', (status, closed) => {
  expect(closedByStatus({ status, opens_on: DAY } as Product)).toEqual(closed);
});

test.each([
  ['ready', null, undefined],
  ['issued', null, undefined],
  ['sold_out', null, undefined],
  ['paused', null, { kind: 'closed', reason: 'product_paused' }],
  ['revoked', null, { kind: 'closed', reason: 'code_revoked' }],
  ['not_yet', DAY, { kind: 'closed', reason: 'product_not_open', day: DAY }],
  ['not_yet', '2026-12-09', { kind: 'closed', reason: 'access_not_started', day: '2026-12-09' }],
] as const)('R-LIFE-36: the state %s from %s in the list of a learner', (state, from, closed) => {
  expect(closedForLearner({ state, from } as MyProduct, { opens_on: DAY } as Product)).toEqual(closed);
});
