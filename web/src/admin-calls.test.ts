import * as contract from '@portal/contract';
import { expect, test } from 'vitest';
import * as calls from './admin-calls.ts';

test.each(Object.entries(calls))('%s has the method and path of the contract', (name, call) => {
  const promised = contract[name as keyof typeof calls];
  expect({ method: call.method, path: call.path }).toEqual({ method: promised.method, path: promised.path });
});
