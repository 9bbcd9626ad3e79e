// Prepares a benchmark: a migrated database with learners, and a function that starts the portal on this database. The
// benchmark `versions` also calls this file of an earlier version, so file and function must keep their names.
import { randomBytes } from 'node:crypto';
import type { Database } from '../server/src/db/database.ts';
import { migrate } from '../server/src/db/migrate.ts';
import { findFreePort } from '../server/test/postgres.ts';
import type { Place } from './engines.ts';
import { type RunningPortal, startPortal } from './portal.ts';
import { type Learner, makeLearners } from './seed.ts';

export type Scene = {
  learners: Learner[];
  /** Access token of the first learner, who is also an administrator. */
  adminToken: string;
  /** Starts the portal on the database. `env` adds environment variables to those that the database needs. */
  start(env?: Record<string, string>): Promise<RunningPortal>;
};

/** Migrates the database, inserts `count` learners, calls `fill` to insert more rows, and closes the database. */
export async function prepareScene(
  { open, env }: Place,
  count: number,
  fill: (db: Database, learners: Learner[]) => Promise<void>,
): Promise<Scene> {
  const secretKey = randomBytes(32);
  const port = await findFreePort();
  const db = await open();
  await migrate(db);
  const learners = await makeLearners(db, { count, secretKey, publicUrl: `http://localhost:${port}` });
  const [admin] = learners;
  await db.query("update app_user set user_role = 'admin', team_role = 'owner' where id = $1", [
    admin?.user_id,
  ]);
  await fill(db, learners);
  await db.close();
  return {
    learners,
    adminToken: admin?.token ?? '',
    start: (more = {}) => startPortal(port, { ...env, SECRET_KEY: secretKey.toString('base64'), ...more }),
  };
}
