import type { MyProduct, Product } from '@portal/contract';
import { expect, test } from 'vitest';
import { ApiError } from '../api.ts';
import {
  closedByRefusal,
  closedByStatus,
  closedForLearner,
  explainRefusal,
  formatClosed,
} from './redemption.ts';

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
  expect(closed && formatClosed(closed, 'en-GB', 'help@a.example')).toEqual({
    title,
    message,
    mayCome,
    from,
  });
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

const noAccess =
  'Oops! Seems like you do not have access! Please write to us at help@a.example if you think this is an error.';
const notRegistered =
  'Seems like your email is not registered. Please ensure you login with the same email you made the purchase with.';
const apology = 'We apologise, there seems to be an error. Please write to us at help@a.example';

const RESTRICTED = 'Sorry, access is restricted!';
const notThere = 'This product does not exist or was removed.';

const refused = (status: number, body: object) => new ApiError(status, '', JSON.stringify(body));
const explain = (error: unknown) => explainRefusal(error, 'help@a.example');

test.each<[string, unknown, string, string]>([
  [
    'R-ERR-03, R-ERR-05: restricted by title',
    refused(403, { title: 'Sorry, access is restricted!', message: 'not authorized' }),
    'Sorry, access is restricted!',
    noAccess,
  ],
  [
    'R-ERR-05: restricted in another case',
    refused(403, { title: 'ACCESS IS RESTRICTED', message: '' }),
    'ACCESS IS RESTRICTED',
    noAccess,
  ],
  [
    'R-ERR-01, R-ERR-06: not authorized',
    refused(403, { title: 'No', message: 'You are Not Authorized.' }),
    'No',
    notRegistered,
  ],
  [
    'R-ERR-01, R-ERR-07: not in our database',
    refused(403, { title: 'Email not registered', message: 'Your email is not in our database.' }),
    'Email not registered',
    notRegistered,
  ],
  [
    'R-ERR-08: any other refusal',
    refused(404, { title: 'Product not found', message: 'Gone.' }),
    'Product not found',
    noAccess,
  ],
  ['R-ERR-02: no title', refused(400, { message: 'Gone.' }), 'Sorry, access is restricted!', noAccess],
  [
    'R-ERR-02, R-ERR-05: no title, whatever the message',
    refused(403, { message: 'not authorized' }),
    'Sorry, access is restricted!',
    noAccess,
  ],
  [
    'R-ERR-04: an error of the server',
    refused(500, { title: 'Sorry, access is restricted!', message: 'x' }),
    'Error',
    apology,
  ],
  ['R-ERR-04: a body that is not the server’s', new ApiError(403, 'Forbidden', '<html>'), 'Error', apology],
  ['R-ERR-04: a malformed response', new SyntaxError('Unexpected token'), 'Error', apology],
  ['R-ERR-02, R-ERR-03: JSON without title and message', refused(403, {}), RESTRICTED, noAccess],
])('%s', (_title, error, title, message) => {
  // `apology` is the message for errors of the server. Another account would get the same error, so `wrongAccount` is
  // not set.
  const account = message === apology ? {} : { wrongAccount: true };
  expect(explain(error)).toEqual({ kind: 'refused', title, message, ...account });
});

test.each<[string, unknown]>([
  ['R-ERR-04: no connection', new TypeError('Failed to fetch')],
  ['R-ERR-04: a proxy without the portal', new ApiError(502, '', '<html>')],
  ['R-ERR-04: a page that is not the portal’s', new ApiError(404, '', '<html>')],
  ['R-ERR-04: load shedding', refused(503, { code: 'unavailable', message: 'x' })],
  ['R-ERR-04: a lost database', refused(503, { code: 'connection_lost', message: 'x' })],
])('%s: the specified apology, and a button that tries again', (_title, error) => {
  expect(explain(error)).toEqual({ kind: 'refused', title: 'Error', message: apology, mayPass: true });
});

test.each<[string, unknown, string, string]>([
  [
    'R-ERR-01: a product that is gone',
    refused(404, { code: 'product_not_found', title: 'Product not found', message: notThere }),
    'Product not found',
    notThere,
  ],
  [
    'R-ERR-04: a rate limit of a proxy',
    new ApiError(429, 'Too Many Requests', 'slow down'),
    'Too many requests',
    'Please wait a moment and try again.',
  ],
])('%s has its own message, which neither refers to support nor suggests another account', (...row) => {
  const [, error, title, message] = row;
  expect(explain(error)).toEqual({ kind: 'refused', title, message });
});

test('R-ERR-01: the message for no codes left is the server’s', () => {
  const words = { title: 'No codes left', message: 'All codes of this benefit have been handed out.' };
  expect(explain(refused(409, { ...words, code: 'no_coupon_left' }))).toEqual({ kind: 'soldOut', ...words });
});

test('R-VAL-08: the message for an ended session is the server’s', () => {
  const words = { title: 'Authentication Required', message: 'Please log in to redeem coupons.' };
  expect(explain(refused(401, words))).toEqual({ kind: 'session', ...words });
});
