// script/portal doctor: checks a deployment without changing it, and prints one line per check.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type Config, ConfigError } from '../config.ts';
import type { Database, Db } from '../db/database.ts';
import { readSchemaVersion } from '../db/migrate.ts';
import { openDatabase } from '../open-database.ts';
import { opensSigningKeys } from './back-up.ts';
import { type CheckResult, examineDatabase, find } from './examine-database.ts';
import { examineMachine } from './examine-machine.ts';
import { fetchCheckResults } from './socket.ts';

/** Runs all checks. The portal may be running. `text` is the output. `healthy` is false if a check failed. */
export async function examineDeployment(
  readConfig: () => Config,
): Promise<{ text: string; healthy: boolean }> {
  const checkResults = await examineAll(readConfig);
  const wrong = checkResults.filter(({ state }) => state === 'wrong').length;
  const lines = checkResults.map(({ about, state, text }) => `${SIGNS[state]} ${about.padEnd(14)} ${text}`);
  const faults = wrong === 1 ? 'One thing is wrong.' : `${wrong} things are wrong.`;
  const end = wrong === 0 ? 'Nothing is wrong.' : faults;
  return { text: [...lines, end].join('\n'), healthy: wrong === 0 };
}

const SIGNS = { ok: 'ok   ', warn: 'warn ', wrong: 'WRONG', unknown: '-    ' };

// A portal starts only if its SECRET_KEY decrypts the signing keys.
const KEY_OPENED: CheckResult = {
  about: 'SECRET_KEY',
  state: 'ok',
  text: 'the portal that runs opened the signing keys',
};

async function examineAll(readConfig: () => Config): Promise<CheckResult[]> {
  let config: Config;
  try {
    config = readConfig();
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return [{ about: 'settings', state: 'wrong', text: error.message }];
  }
  const running = config.databaseUrl === null ? await fetchCheckResults(config.dataDir) : null;
  // This check comes before the database is opened. Opening an embedded database corrects wrong permissions of its
  // folder, which this check reports.
  const machine = await examineMachine({ ...config, ...running?.address });
  return [
    compareSettings(config, running?.address),
    ...(running === null ? await examineData(config) : [...running.checkResults, KEY_OPENED]),
    ...machine,
  ];
}

// The running portal may have been started with variables that this command does not have.
function compareSettings(config: Config, running: Partial<Config> = {}): CheckResult {
  const names = { HOST: 'host', PORT: 'port', PUBLIC_URL: 'publicUrl' } as const;
  const others = Object.entries(names).filter(([, key]) => (running[key] ?? config[key]) !== config[key]);
  if (others.length === 0) return { about: 'settings', state: 'ok', text: 'every value can be used' };
  const values = others.map(([name, key]) => `${name}=${running[key]}`).join(', ');
  const text = `the portal that runs has ${values}, this command has not: keep settings in .env`;
  return { about: 'settings', state: 'warn', text };
}

async function examineData(config: Config): Promise<CheckResult[]> {
  if (config.databaseUrl === null && !existsSync(join(config.dataDir, 'pg')))
    return [{ about: 'database', state: 'unknown', text: 'there is none yet: the first start makes it' }];
  let db: Database | undefined;
  const opened = await find('database', async () => {
    db = await openDatabase(config);
    return 'opened';
  });
  if (db === undefined) return [opened];
  try {
    const checkResults = await examineDatabase(db, Date.now);
    return [...checkResults, ...(checkResults.length > 1 ? [await examineKey(config, db)] : [])];
  } finally {
    await db.close();
  }
}

async function examineKey(config: Config, db: Db): Promise<CheckResult> {
  return find('SECRET_KEY', async () => {
    if ((await readSchemaVersion(db)) === 0) return 'not needed yet: the database is empty';
    if (await opensSigningKeys(config, db)) return 'it opens the signing keys, or none are there';
    throw new Error(
      'it is not the one that this database was made with: set the one that was in use before (docs/operations.md, Backups)',
    );
  });
}
