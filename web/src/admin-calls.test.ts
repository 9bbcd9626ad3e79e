import * as contract from '@portal/contract';
import { expect, test } from 'vitest';
import * as adminCalls from './admin-calls.ts';
import * as cohortCalls from './cohort-calls.ts';
import * as importCalls from './import-calls.ts';
import * as peopleCalls from './people-calls.ts';

const calls = { ...adminCalls, ...cohortCalls, ...importCalls, ...peopleCalls };

test.each(Object.entries(calls))(
  'R-TEAM-31: %s has the method, path and least role of the contract',
  (name, call) => {
    const { method, path, role } = contract[name as keyof typeof calls];
    expect(call).toEqual({ method, path, role });
  },
);
