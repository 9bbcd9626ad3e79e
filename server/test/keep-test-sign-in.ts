// Provides one sign-in service and one new database for all tests of a file.
import { afterAll, beforeAll } from 'vitest';
import type { Database } from '../src/db/database.ts';
import { openTestDatabase } from './open-test-database.ts';
import { openTestSignIn, type TestSignIn } from './open-test-sign-in.ts';

/** Registers hooks that open database and service before the first test and close them after the last. */
export function keepTestSignIn(): { db: Database; signIn: TestSignIn } {
  const db = {} as Database;
  const signIn = {} as TestSignIn;
  beforeAll(async () => {
    Object.assign(db, await openTestDatabase());
    Object.assign(signIn, await openTestSignIn(db));
  });
  afterAll(async () => {
    await signIn.close?.();
    await db.close?.();
  });
  return { db, signIn };
}
