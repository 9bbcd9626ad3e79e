// What a benchmark needs before it measures: a migrated database with learners, and the portal over it.
import { randomBytes } from 'node:crypto';
import type { Database } from '../server/src/db/database.ts';
import { migrate } from '../server/src/db/migrate.ts';
import { findFreePort } from '../server/test/postgres.ts';
import type { Place } from './engines.ts';
import { type Learner, makeLearners } from './people.ts';
import { type RunningPortal, startPortal } from './portal.ts';

export type Scene = {
  learners: Learner[];
  /** An administrator, who is the first of the learners. */
  adminToken: string;
  /** Starts the portal over the database; `env` adds to what it is told. */
  start(env?: Record<string, string>): Promise<RunningPortal>;
};

/** Fills the database with learners and whatever `fill` adds, and closes it. */
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
  await db.query("update app_user set user_role = 'admin' where id = $1", [admin?.user_id]);
  await fill(db, learners);
  await db.close();
  return {
    learners,
    adminToken: admin?.token ?? '',
    start: (more = {}) => startPortal(port, { ...env, SECRET_KEY: secretKey.toString('base64'), ...more }),
  };
}
