// script/portal doctor: checks a deployment without changing it, and prints one line per check.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type Config, ConfigError } from '../config.ts';
import type { Database, Db } from '../db/database.ts';
import { readSchemaVersion } from '../db/migrate.ts';
import { openDatabase } from '../open-database.ts';
import { type CheckResult, examineDatabase, find } from './examine-database.ts';
import { examineMachine } from './examine-machine.ts';
import { fetchCheckResults } from './socket.ts';

/** `opens` returns whether the configured SECRET_KEY decrypts the signing keys in the database. */
export type DoctorTools = { readConfig: () => Config; opens: (config: Config, db: Db) => Promise<boolean> };

/**
 * Runs all checks, whether the portal is running or stopped. Returns the output as `text`. `healthy` is false if at
 * least one check failed.
 */
export async function examineDeployment(tools: DoctorTools): Promise<{ text: string; healthy: boolean }> {
  const checkResults = await examineAll(tools);
  const wrong = checkResults.filter(({ state }) => state === 'wrong').length;
  const lines = checkResults.map(({ about, state, text }) => `${SIGNS[state]} ${about.padEnd(14)} ${text}`);
  const end =
    wrong === 0 ? 'Nothing is wrong.' : wrong === 1 ? 'One thing is wrong.' : `${wrong} things are wrong.`;
  return { text: [...lines, end].join('\n'), healthy: wrong === 0 };
}

const SIGNS = { ok: 'ok   ', warn: 'warn ', wrong: 'WRONG', unknown: '-    ' };

async function examineAll({ readConfig, opens }: DoctorTools): Promise<CheckResult[]> {
  let config: Config;
  try {
    config = readConfig();
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return [{ about: 'settings', state: 'wrong', text: error.message }];
  }
  // The machine is examined before the database is opened. Opening an embedded database corrects wrong permissions of
  // its folder, so a later check could not report them.
  const machine = await examineMachine(config);
  return [
    { about: 'settings', state: 'ok', text: 'every value can be used' },
    ...(await examineData(config, (db) => opens(config, db))),
    ...machine,
  ];
}

async function examineData(config: Config, opens: (db: Db) => Promise<boolean>): Promise<CheckResult[]> {
  if (config.databaseUrl === null) {
    const checkResults = await fetchCheckResults(config.dataDir);
    // A running portal has decrypted all signing keys with its SECRET_KEY; otherwise it would not have started. So
    // SECRET_KEY is reported as correct without a further check.
    const key: CheckResult = {
      about: 'SECRET_KEY',
      state: 'ok',
      text: 'the portal that runs opened the signing keys',
    };
    if (checkResults !== null) return [...checkResults, key];
    if (!existsSync(join(config.dataDir, 'pg')))
      return [{ about: 'database', state: 'unknown', text: 'there is none yet: the first start makes it' }];
  }
  let db: Database | undefined;
  const opened = await find('database', async () => {
    db = await openDatabase(config);
    return 'opened';
  });
  if (db === undefined) return [opened];
  try {
    const checkResults = await examineDatabase(db, Date.now);
    return [...checkResults, ...(checkResults.length > 1 ? [await examineKey(db, opens)] : [])];
  } finally {
    await db.close();
  }
}

async function examineKey(db: Db, opens: (db: Db) => Promise<boolean>): Promise<CheckResult> {
  const about = 'SECRET_KEY';
  return find(about, async () => {
    if ((await readSchemaVersion(db)) === 0) return 'not needed yet: the database is empty';
    if (await opens(db)) return 'it opens the signing keys, or none are there';
    throw new Error(
      'it is not the one that this database was made with: set the one that was in use before (docs/operations.md, Backups)',
    );
  });
}
