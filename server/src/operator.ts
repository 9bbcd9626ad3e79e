// The operator's tool, behind script/portal: asks the running portal, or opens the database itself.
import { ConfigError, readConfig, readEnvironment } from './config.ts';
import { DatabaseError } from './db/database-error.ts';
import { migrate } from './db/migrate.ts';
import { openDatabase } from './open-database.ts';
import { describeCommands, OperatorError, runCommand } from './operator/commands.ts';
import { askRunningPortal } from './operator/socket.ts';

const args = process.argv.slice(2);

try {
  console.log(args.length === 0 || args.includes('--help') ? describeCommands(args) : await run());
} catch (error) {
  if (!(error instanceof OperatorError || error instanceof ConfigError || error instanceof DatabaseError))
    throw error;
  console.error(error.message);
  process.exitCode = 1;
}

async function run(): Promise<string> {
  const config = readConfig(readEnvironment(process.cwd()));
  const answered = config.databaseUrl === null ? await askRunningPortal(config.dataDir, args) : null;
  if (answered !== null) return answered;
  const db = await openDatabase(config);
  try {
    await migrate(db);
    return await runCommand({ db }, args);
  } finally {
    await db.close();
  }
}
