import * as contract from '@portal/contract';
import { expect, test } from 'vitest';
import * as calls from './admin-calls.ts';

test.each(Object.entries(calls))(
  'R-TEAM-31: %s has the method, path and least role of the contract',
  (name, call) => {
    const { method, path, role } = contract[name as keyof typeof calls];
    expect(call).toEqual({ method, path, role });
  },
);
