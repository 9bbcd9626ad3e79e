// Provides a new database and a sign-in service that all tests of a test file share.
import { afterAll, beforeAll } from 'vitest';
import type { Database } from '../src/db/database.ts';
import { openTestDatabase } from './open-test-database.ts';
import { openTestSignIn, type TestSignIn } from './open-test-sign-in.ts';

/**
 * Registers two hooks. The first hook opens the database and the sign-in service before the first test of the file. The
 * second hook closes them after the last test. The returned objects are empty until the first hook has run.
 */
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
